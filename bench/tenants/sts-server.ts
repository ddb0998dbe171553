import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stsSession } from '../../test/infra/account/account.ts';

/** An STS that opens every session, in a process of its own so that its work is not measured. It sends its port to its parent. */

/** AWS states no length and advises to assume none; with a session tag, tokens had about a thousand characters. */
const TOKEN_LENGTH = 1_000;

let opened = 0;
const server = createServer((request, response) => {
  opened += 1;
  request.resume().on('end', () => {
    response.end(
      stsSession({
        AWS_ACCESS_KEY_ID: `ASIA${String(opened).padStart(16, '0')}`,
        AWS_SECRET_ACCESS_KEY: `${opened}`.padStart(40, 's'),
        AWS_SESSION_TOKEN: `${opened}`.padStart(TOKEN_LENGTH, 't'),
      }),
    );
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
