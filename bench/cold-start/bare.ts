import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** The function that ours are compared with: it reads one item by the document client and returns it. */

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const { PK = '', SK = '' } = event.queryStringParameters ?? {};
  const { Item: item } = await client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key: { PK, SK } }));
  return { statusCode: item === undefined ? 404 : 200, body: JSON.stringify(item ?? {}) };
};
