import { Table } from '@custodia/counted-lists';

/** A table without DynamoDB: its commands are sent to this. */
export const tableSending = (send: (command: never) => Promise<object>, name = 'table'): Table =>
  new Table(name, () => ({ send, middlewareStack: { add: () => undefined } }) as never);
