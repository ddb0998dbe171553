import type { TestProject } from 'vitest/node';
import { findDynoxide } from '../../local/dynamodb/dynoxide.ts';
import { startDynamoDb } from '../../local/dynamodb/embedded.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';

/**
 * Starts the DynamoDB of a project's tests: dynoxide where it is there, which answers in half of the time, but for `again`, which is run as
 * `npm start` is, on DynamoDB Local. `TEST_ENGINE=dynoxide` or `java` chooses for all. Answers what stops it.
 */
const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const asked = (process.env.TEST_ENGINE || undefined) as EngineName | undefined;
  const engine = asked ?? (project.name === 'again' ? undefined : await quickEngine());
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine && { engine }) });
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return () => dynamoDb.stop();
};

const quickEngine = async (): Promise<EngineName | undefined> =>
  'missing' in (await findDynoxide()) ? undefined : 'dynoxide';

export default setup;
