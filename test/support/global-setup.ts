import type { TestProject } from 'vitest/node';
import { findDynoxide } from '../../local/dynamodb/dynoxide.ts';
import { startDynamoDb } from '../../local/dynamodb/embedded.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';

/**
 * Starts the DynamoDB of a project's tests. Those of `npm test` run on dynoxide where it is there, which answers in half of the time,
 * the slow ones as `npm start` does on DynamoDB Local; `TEST_ENGINE=dynoxide` or `java` chooses for both. Answers what stops it.
 */
const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const asked = (process.env.TEST_ENGINE || undefined) as EngineName | undefined;
  const engine = asked ?? (project.name === 'http' ? await quickEngine() : undefined);
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine && { engine }) });
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return () => dynamoDb.stop();
};

const quickEngine = async (): Promise<EngineName | undefined> =>
  'missing' in (await findDynoxide()) ? undefined : 'dynoxide';

export default setup;
