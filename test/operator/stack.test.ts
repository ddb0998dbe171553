import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { setStackEnvironment, stackOf } from '../../operator/target.ts';
import { freshDirectory } from '../support/directory.ts';

/** What commands learn of a stage from the outputs of its stacks. */

afterEach(() => vi.unstubAllEnvs());

async function environmentAfter(outputs: object): Promise<Readonly<Record<string, string | undefined>>> {
  const file = join(await freshDirectory(), 'outputs.json');
  const data = { TableName: 'prod', SecretsKeyArn: 'arn:aws:kms:eu-west-1:111122223333:key/mrk-1' };
  await writeFile(
    file,
    JSON.stringify({
      'custodia-prod-data': data,
      'custodia-prod': { OperatorRoleArn: 'role', ...outputs },
      'custodia-prod-api': { BaseUrl: 'https://api.example.com' },
    }),
  );
  for (const variable of ['TABLE_NAME', 'AWS_REGION', 'TICKET_WORDS']) vi.stubEnv(variable, 'before');
  const stack = await stackOf({ outputs: file }, 'OperatorRoleArn');
  expect(stack).toMatchObject({ name: 'custodia-prod', baseUrl: 'https://api.example.com' });
  setStackEnvironment(stack.table ?? '', stack);
  const { TABLE_NAME, AWS_REGION, TICKET_WORDS } = process.env;
  return { TABLE_NAME, AWS_REGION, TICKET_WORDS };
}

it('is its table, its region, and whether its tickets are found by words', async () => {
  const expected = { TABLE_NAME: 'prod', AWS_REGION: 'eu-west-1' };
  expect(await environmentAfter({ TicketWords: 'off' })).toEqual({ ...expected, TICKET_WORDS: 'off' });
  // The outputs of a release before.
  expect(await environmentAfter({})).toEqual({ ...expected, TICKET_WORDS: 'before' });
});
