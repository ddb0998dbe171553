import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyEvent } from '@custodia/client';

const { PORT = '8080', SECRET = '' } = process.env; // the secret of the endpoint, whsec_…

const server = createServer(async (request, response) => {
  try {
    const delivery = await verifyEvent(await text(request), request.headers, SECRET);
    for (const { type, record_id } of delivery?.events ?? []) console.log(delivery?.id, type, record_id);
    response.writeHead(delivery ? 200 : 401).end(delivery?.answer); // it proves to a ping that this endpoint is yours
  } catch (error) {
    console.error(error); // anybody may hang up in the middle of a request
    response.writeHead(500).end();
  }
});
server.on('error', ({ message }) => {
  console.error(`${message}. PORT=0 takes any free port.`);
  process.exitCode = 1;
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('Listening on', server.address()));
