export { createTable, localConnection, probe } from './client.ts';
export { refuseWritesWhenFull } from './data-directory.ts';
export { openDynamoDb, startDynamoDb, superviseDynamoDb } from './embedded.ts';
export { openStream, type StreamRecord } from './stream.ts';
export { addingTo, meter } from './usage.ts';
