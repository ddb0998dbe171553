import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '#local-dynamodb';
import { findEngine } from '../../local/dynamodb/choose.ts';
import type { EngineName } from '../../local/dynamodb/engine.ts';
import { EXTENT } from './extent.ts';

/**
 * Starts the DynamoDB of a project's tests: dynoxide where it is installed, which takes a fifth of the CPU time; for
 * what is sampled, in nightly tests, what `npm start` uses, DynamoDB Local. `TEST_ENGINE=dynoxide` or `java` chooses.
 * Returns a function that stops it.
 */
const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const asked = (process.env.TEST_ENGINE || undefined) as EngineName | undefined;
  const engine = asked ?? (project.name === 'quick' && EXTENT === 'nightly' ? undefined : await quickEngine());
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine && { engine }) });
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return () => dynamoDb.stop();
};

const quickEngine = async (): Promise<EngineName | undefined> =>
  'missing' in (await findEngine('dynoxide')) ? undefined : 'dynoxide';

export default setup;
