export { findEngine } from './choose.ts';
export { endpointAndKey, LOCAL_AWS, localDynamoDbClient } from './client.ts';
export { refuseWritesWhenFull } from './disk-space.ts';
export { openDynamoDb, startDynamoDb } from './embedded.ts';
export type { EngineName } from './engine.ts';
export { EmbeddedDynamoDbError } from './errors.ts';
export { probe } from './probe.ts';
export { superviseDynamoDb } from './supervise.ts';
export { createTable } from './table.ts';
