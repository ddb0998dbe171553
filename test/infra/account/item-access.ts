import type { Asked } from './iam.ts';

/** The rights that a request to DynamoDB needs: its actions, each with its partition keys. */

type Value = { readonly S?: string };
type KeyOf = { readonly PK?: Value };
type Write = Readonly<Record<string, { Key?: KeyOf; Item?: KeyOf }>>;
interface Body {
  readonly Key?: KeyOf;
  readonly Item?: KeyOf;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>>;
  readonly RequestItems?: Readonly<Record<string, readonly Write[] | { readonly Keys?: readonly { PK?: Value }[] }>>;
  readonly TransactItems?: readonly Write[];
}

/**
 * @param operation as in `X-Amz-Target`: `PutItem`
 * @throws Error for an operation that the storage code does not use
 */
export function accessOf(operation: string, body: unknown, tableArn: string): Asked[] {
  const request = body as Body;
  const access = (action: string, keys: readonly string[]): Asked => ({
    action: `dynamodb:${action}`,
    resource: tableArn,
    context: keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': keys },
  });
  switch (operation) {
    case 'GetItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'PutItem':
      return [access(operation, [partitionOf(request)])];
    case 'Query':
      return [access('Query', [queriedPartition(request)])];
    case 'BatchGetItem':
      return [access('BatchGetItem', Object.values(request.RequestItems ?? {}).flatMap(readPartitions))];
    case 'BatchWriteItem':
      return [
        access(
          'BatchWriteItem',
          Object.values(request.RequestItems ?? {}).flatMap((writes) => (writes as readonly Write[]).map(ofWrite)),
        ),
      ];
    case 'TransactWriteItems':
      return (request.TransactItems ?? []).map((write) =>
        access(ACTIONS[Object.keys(write)[0] ?? ''] ?? '', [ofWrite(write)]),
      );
    case 'TransactGetItems':
      return (request.TransactItems ?? []).map((read) => access('GetItem', [ofWrite(read)]));
    case 'Scan':
      return [access('Scan', [])];
    default:
      throw new Error(`${operation} is not simulated`);
  }
}

/** A transaction has no action of its own. */
const ACTIONS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

const ofWrite = (write: Write): string => partitionOf(Object.values(write)[0] ?? {});

const partitionOf = ({ Key, Item }: { Key?: KeyOf; Item?: KeyOf }): string => Key?.PK?.S ?? Item?.PK?.S ?? '';

const readPartitions = (read: NonNullable<Body['RequestItems']>[string]): string[] =>
  'Keys' in read ? (read.Keys ?? []).map(({ PK }) => PK?.S ?? '') : [];

/** A query names one partition, and names it first. */
function queriedPartition({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: Body): string {
  const [, value = ''] = /^#?\w+ = (:\w+)\b/.exec(KeyConditionExpression) ?? [];
  return ExpressionAttributeValues[value]?.S ?? '';
}
