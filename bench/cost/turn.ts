import { work } from '../../functions/events/deliveries/work.ts';
import { type MarkdownTable, rowsIn } from '../../generate/markdown.ts';
import { createTable, localDynamoDbClient, startDynamoDb } from '../../local/dynamodb/index.ts';
import { addingTo, meter, type Usage } from '../../local/dynamodb/usage.ts';
import { DeliveryWorld } from '../../test/support/delivery-world.ts';

/** What a turn of the worker takes of the table that delivers one event and finds no other. */
const TITLE = 'a turn that delivers one event';

export async function measureTurn(): Promise<Usage> {
  const dynamoDb = await startDynamoDb({ dataDir: ':memory:', engine: 'dynoxide' });
  try {
    const { endpoint } = dynamoDb;
    const client = localDynamoDbClient(endpoint);
    const tableName = 'turn';
    await createTable(client, tableName);
    const world = new DeliveryWorld({ client, tableName, endpoint });
    meter(world.table);
    const organization = await world.organization();
    await organization.endpoint();
    const turn = async (usage: Usage): Promise<Usage> => {
      await organization.change();
      await addingTo(usage, () => work({ tenant: organization.id }, world.worker()));
      return usage;
    };
    // With the first one, items of lists are made.
    await turn(nothing());
    return await turn(nothing());
  } finally {
    await dynamoDb.stop();
  }
}

const nothing = (): Usage => ({ calls: 0, readUnits: 0, writeUnits: 0 });

export const turnTable = ({ calls, readUnits, writeUnits }: Usage): MarkdownTable => ({
  head: ['', 'calls', 'read units', 'write units'],
  rows: [[TITLE, ...[calls, readUnits, writeUnits].map(String)]],
});

/** The figures of the page. @throws Error where it has none */
export function turnIn(text: string): Usage {
  const [, ...cells] = rowsIn(text).get(TITLE) ?? [];
  const [calls = Number.NaN, readUnits = Number.NaN, writeUnits = Number.NaN] = cells.map(Number);
  if (Number.isNaN(calls + readUnits + writeUnits)) throw new Error(`the page does not say what ${TITLE} takes`);
  return { calls, readUnits, writeUnits };
}
