import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDynamoDb, refuseWritesWhenFull } from '#local-dynamodb';
import { environmentTable } from '#table';
import { setFunctionEnvironment } from '../local/environment.ts';
import { IN_MEMORY, LOCAL_TABLE, readSettings } from '../local/settings.ts';
import { OperatorProblem } from './problem.ts';

/**
 * Makes this process work on the data of `npm start`, whether or not that runs. `DATA_DIR` and `DYNAMODB_ENDPOINT` have
 * the same meaning.
 * @returns a function that releases the data
 * @throws OperatorProblem, LocalApiError or EmbeddedDynamoDbError
 */
export async function openLocalData(): Promise<() => Promise<void>> {
  const { dataDir, dynamoDbEndpoint, ticketWords } = readSettings(process.env);
  const keyFile = join(dataDir, 'keys.json');
  const workAt = (endpoint: string): void =>
    setFunctionEnvironment({ tableName: LOCAL_TABLE, endpoint, keyFile, firstKey: false, ticketWords });
  if (dynamoDbEndpoint !== undefined) {
    workAt(dynamoDbEndpoint);
    return async () => undefined;
  }
  if (dataDir === IN_MEMORY) {
    throw new OperatorProblem(
      'What is kept in memory is found by its address alone: set DYNAMODB_ENDPOINT to the one that npm start prints.',
    );
  }
  if (!existsSync(dataDir)) {
    throw new OperatorProblem(`There is no data directory ${resolve(dataDir)}: set DATA_DIR to that of npm start.`);
  }
  const { endpoint, stop } = await openDynamoDb(dataDir);
  workAt(endpoint);
  refuseWritesWhenFull(environmentTable(), dataDir);
  return stop;
}
