import { createCustodia } from '@custodia/client';

const baseUrl = 'http://127.0.0.1:3000'; // `npm start`; in front of /api/v1

// Register an integration, once. Its secret is shown here and never again.
const registered = await createCustodia({ baseUrl }).integrations.create({
  app_code: 'acme-first-program',
  display_name: 'The first program',
});

// The client logs in at its first request.
const credentials = { appCode: registered.app_code, secret: registered.secret };
const custodia = createCustodia({ baseUrl, credentials });

const client = await custodia.clients.create({ name: 'Bistro', slug: 'bistro' });
console.log('created', client.id);

for await (const { id, name } of custodia.clients.list({ status: 'active' })) console.log(id, name);
