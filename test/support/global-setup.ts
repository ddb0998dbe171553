import type { TestProject } from 'vitest/node';
import { type EngineName, startDynamoDb } from '../../local/dynamodb/embedded.ts';

/** Starts the DynamoDB of the test run; `TEST_ENGINE=dynoxide` or `java` chooses the engine. Answers what stops it. */
const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const engine = process.env.TEST_ENGINE as EngineName | undefined;
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', ...(engine && { engine }) });
  project.provide('dynamoDbEndpoint', dynamoDb.endpoint);
  return () => dynamoDb.stop();
};

export default setup;
