import { deepStrictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

/**
 * Starts a receiver of `examples/`, and sends it one event, a batch, one that is signed with another secret, one whose
 * signature is missing, and a part of a request.
 * @throws AssertionError where it does not take the first two and refuse the others
 */
export async function expectReceives(program: string, ...args: readonly string[]): Promise<void> {
  const [SECRET, another] = ['one', 'another'].map((text) => `whsec_${Buffer.from(text.repeat(9)).toString('base64')}`);
  const child = spawn(program, args, {
    env: { ...process.env, PORT: '0', SECRET },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async (): Promise<string> => (await lines.next()).value ?? 'it has ended';
    const [, port] = /(\d+)\D*$/.exec(await line()) ?? [];

    const send = async (id: string, data: unknown, secret = SECRET ?? ''): Promise<number> => {
      const body = JSON.stringify({ type: 'ticket.updated', data });
      const now = new Date();
      const signature = secret && new Webhook(secret).sign(id, now, body);
      const timestamp = String(Math.floor(now.getTime() / 1000));
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
    };
    connect(Number(port), '127.0.0.1').end('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{');
    const event = (record_id: string) => ({ type: 'ticket.updated', record_id });
    const statuses = [
      await send('m-1', event('a')),
      await send('m-2', event('b'), another),
      await send('m-3', event('c'), ''),
      await send('m-4', [event('d'), event('e')]),
    ];
    deepStrictEqual(statuses, [200, 401, 401, 200]);
    const printed = [await line(), await line(), await line()];
    deepStrictEqual(printed, ['m-1 ticket.updated a', 'm-4 ticket.updated d', 'm-4 ticket.updated e']);
  } finally {
    child.kill();
    await ended;
  }
}
