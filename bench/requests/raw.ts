import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environmentTable } from '../../shared/table/index.ts';
import type { Handle, Setting } from './contender.ts';

/**
 * The commands sent to the table, by round trip: the commands of a round trip were sent before the first of them got
 * its response.
 */
type RoundTrips = readonly (readonly Command[])[];

type Command = Parameters<DynamoDBDocumentClient['send']>[0];

/** Does something with the functions of this repository and returns the commands that it sent. */
export async function commandsSentBy(work: () => Promise<unknown>): Promise<RoundTrips> {
  const { client } = environmentTable();
  const { send } = client;
  const sent: { readonly roundTrip: number; readonly command: Command }[] = [];
  let endedRoundTrip = 0;
  const noted = async (command: Command): Promise<unknown> => {
    const roundTrip = endedRoundTrip + 1;
    sent.push({ roundTrip, command });
    const response: unknown = await (send as (sent: Command) => Promise<unknown>).call(client, command);
    endedRoundTrip = Math.max(endedRoundTrip, roundTrip);
    return response;
  };
  client.send = noted as typeof send;
  await work();
  client.send = send;
  return [...Map.groupBy(sent, ({ roundTrip }) => roundTrip).values()].map((of) => of.map(({ command }) => command));
}

/**
 * Sends the same commands by a document client with default settings, without reading, checking or returning anything.
 */
export function raw({ requestHandler }: Pick<Setting, 'requestHandler'>): (roundTrips: RoundTrips) => Handle {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler }));
  return (roundTrips) => async () => {
    for (const commands of roundTrips) await Promise.all(commands.map((command) => client.send(again(command))));
    return { statusCode: 200, body: '' };
  };
}

/** A new command of the same kind with the same input, and with what our client adds to every input. */
function again(command: Command): Command {
  const Kind = command.constructor as new (input: Command['input']) => Command;
  return new Kind({ ...command.input, ReturnConsumedCapacity: 'TOTAL' } as Command['input']);
}
