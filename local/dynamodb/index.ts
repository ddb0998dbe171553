export { findEngine } from './choose.ts';
export { createTable, endpointAndKey, LOCAL_AWS, localDynamoDbClient, probe } from './client.ts';
export { refuseWritesWhenFull } from './data-directory.ts';
export { openDynamoDb, startDynamoDb, superviseDynamoDb } from './embedded.ts';
export type { EngineName } from './engine.ts';
export { EmbeddedDynamoDbError } from './engine.ts';
export { openStream, type StreamRecord } from './stream.ts';
export { addingTo, consumedUnits, dynamoDbOperationOf, meter, type Usage } from './usage.ts';
