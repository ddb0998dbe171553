import { Agent, request as ask, createServer, type Server } from 'node:http';

/**
 * Passes requests on to the emulator with the header by which it takes them for TLS: policies of the stage deny what
 * comes without (`aws:SecureTransport`).
 */
export function startTlsProxy(emulatorPort: number, port: number): Promise<Server> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const { method, url: path, rawHeaders } = request;
    const headers = [...rawHeaders, 'X-Forwarded-Proto', 'https'];
    const to = { host: '127.0.0.1', port: emulatorPort, setHost: false, agent, path, headers };
    const passed = ask({ ...to, ...(method === undefined ? {} : { method }) }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
      answered.pipe(response);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  server.once('close', () => agent.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
