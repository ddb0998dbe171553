import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from './assembly.ts';
import { callGateway } from './aws.ts';

/**
 * The gateway responses of the API's document, by which errors of the gateway look like those of functions. The
 * emulator imports paths and integrations from the document, and not these.
 */

const KIND = 'x-amazon-apigateway-gateway-responses';

interface Body {
  readonly [KIND]: Readonly<Record<string, object>>;
}

/** Whether it has imported any. */
export async function hasGatewayResponses(api: string): Promise<boolean> {
  const { text } = await callGateway('GET', `/restapis/${api}/gatewayresponses`);
  const { item, _embedded } = JSON.parse(text);
  const responses: readonly { readonly defaultResponse: boolean }[] = [item ?? _embedded?.item ?? []].flat();
  return responses.some(({ defaultResponse }) => !defaultResponse);
}

/** Puts each of them, and deploys the API once more. */
export async function putGatewayResponses(assembly: string, api: string, stage: string): Promise<void> {
  for (const [kind, response] of Object.entries(bodyIn(assembly)[KIND])) {
    await callGateway('PUT', `/restapis/${api}/gatewayresponses/${kind}`, response);
  }
  const { id } = JSON.parse((await callGateway('POST', `/restapis/${api}/deployments`)).text);
  const patchOperations = [{ op: 'replace', path: '/deploymentId', value: id }];
  await callGateway('PATCH', `/restapis/${api}/stages/${stage}`, { patchOperations });
}

function bodyIn(assembly: string): Body {
  const templates = globSync(join(assembly, '*.template.json')).map(
    (file): Template => JSON.parse(readFileSync(file, 'utf8')),
  );
  const [api] = templates.flatMap(({ Resources }) =>
    Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGateway::RestApi'),
  );
  if (api === undefined) throw new Error(`${assembly} has no API`);
  return api.Properties?.Body as Body;
}
