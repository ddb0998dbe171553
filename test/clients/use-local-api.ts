import { afterAll } from 'vitest';
import { startDynamoDb } from '#local-dynamodb';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { readSettings } from '../../local/settings.ts';
import { type LocalApi, startLocalApi } from '../../local/start.ts';
import { prepared } from '../support/prepared.ts';

/**
 * The API of a test file as `npm start` serves it, on dynoxide where it is installed: requests and responses are the same on both engines. Nothing is
 * delivered, so that endpoints stay as samples leave them.
 */
export function useLocalApi(): LocalApi {
  let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>> | undefined;
  const api = prepared(async () => {
    const isMissing = 'missing' in (await findEngine('dynoxide'));
    dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(!isMissing && { engine: 'dynoxide' }) });
    const settings = readSettings({ PORT: '0', DATA_DIR: ':memory:', DYNAMODB_ENDPOINT: dynamoDb.endpoint });
    return startLocalApi(settings, { deliveries: false });
  });
  afterAll(async () => {
    await api.close();
    await dynamoDb?.stop();
  });
  return api;
}
