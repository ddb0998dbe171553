import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Makes a server of a test listen on a free port. @returns its address: `http://127.0.0.1:40149` */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
