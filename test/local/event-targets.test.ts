import { createServer } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { environmentTargets, refusalOf } from '#outbound';
import { sendWith } from '../../functions/events/deliveries/send.ts';
import { listening } from '../support/listening.ts';

/** `EVENT_TARGETS=loopback`, the default of `npm start`. */

it('accepts addresses that a stage accepts, but calls this machine only, and asks no name server', async () => {
  const resolve = vi.fn(async () => ['127.0.0.1', '203.0.113.7']);
  const send = sendWith({ targets: 'loopback', resolve });
  const call = (url: string) => send({ url, headers: {}, body: '{}' });
  for (const url of ['https://hooks.acme.example/custodia', 'https://203.0.113.7/', 'https://[2001:db8::1]/']) {
    expect(await call(url), url).toEqual({ error: 'address-refused' });
  }
  expect(refusalOf('https://hooks.acme.example/custodia', 'loopback')).toBeUndefined();

  const server = createServer((_, response) => void response.writeHead(204).end());
  onTestFinished(() => void server.close());
  const { port } = new URL(await listening(server));
  for (const host of ['127.0.0.1', 'localhost', 'hooks.localhost'])
    expect(await call(`http://${host}:${port}/`), host).toEqual({ status: 204 });
  expect(resolve).not.toHaveBeenCalled();
});

it('is nothing that a stage comes to by a setting that is missing or misspelt', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const text of [undefined, '', 'public', 'Loopback', 'loopback ', 'all']) {
    vi.stubEnv('EVENT_TARGETS', text);
    expect(environmentTargets(), text).toBe('public');
  }
});
