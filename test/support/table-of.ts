import { leanDocumentClient } from '#aws';
import { Table } from '#lists';

/** A table by a client with this configuration, as the service makes its own. */
export const tableOf = (name: string, config: Parameters<typeof leanDocumentClient>[0]): Table =>
  new Table(name, (readNumber) => leanDocumentClient(config, readNumber));
