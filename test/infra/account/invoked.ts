import * as z from 'zod';
import type { Deployed } from './template.ts';

/** What API Gateway calls, found as it finds it: from the address of an integration over an alias and its version to the function. */

const functionSchema = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  /** In seconds. */
  Timeout: z.number(),
  /** In MB. */
  MemorySize: z.number(),
  Role: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});
export type InvokedFunction = z.infer<typeof functionSchema>;

/** As much of the document that API Gateway imports as names functions. */
const bodySchema = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ 'x-amazon-apigateway-integration': z.object({ uri: z.string().optional() }) })),
  ),
  components: z.object({
    securitySchemes: z.record(
      z.string(),
      z.object({ 'x-amazon-apigateway-authorizer': z.object({ authorizerUri: z.string() }) }),
    ),
  }),
});

/**
 * The functions that the API calls, by their names.
 * @throws Error where an address leads to no version of a function, or may not be called
 */
export function invokedFunctions(stack: Deployed): ReadonlyMap<string, InvokedFunction> {
  const found = apisOf(stack).flatMap(([id, body]) => [
    ...Array.from(integrationUris(body), (uri) => functionAt(stack, uri, `:${id}/*/*/*`)),
    ...Array.from(authorizerUris(body), (uri) => functionAt(stack, uri, `:${id}/authorizers/*`)),
  ]);
  return new Map(found.map((each) => [each.FunctionName, each]));
}

type Body = z.infer<typeof bodySchema>;

const apisOf = ({ resources }: Deployed) =>
  [...resources].flatMap(([id, { Type, Properties }]) =>
    Type === 'AWS::ApiGateway::RestApi' ? [[id, bodySchema.parse(Properties.Body)] as const] : [],
  );

const integrationUris = ({ paths }: Body): ReadonlySet<string> =>
  new Set(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap((operation) => operation['x-amazon-apigateway-integration'].uri ?? []),
  );

const authorizerUris = ({ components }: Body): ReadonlySet<string> =>
  new Set(
    Object.values(components.securitySchemes).map((scheme) => scheme['x-amazon-apigateway-authorizer'].authorizerUri),
  );

const ADDRESS =
  /^arn:aws:apigateway:[\w-]+:lambda:path\/2015-03-31\/functions\/(?<arn>arn:aws:lambda:[\w-]+:\d+:function:(?<name>[\w-]+):(?<alias>[\w-]+))\/invocations$/;

/** @param source with what the ARN ends on whose behalf API Gateway calls */
function functionAt({ resources }: Deployed, uri: string, source: string): InvokedFunction {
  const { arn = '', name, alias: aliasName } = ADDRESS.exec(uri)?.groups ?? {};
  const all = (type: string) => [...resources].filter(([, { Type }]) => Type === type);
  const [id, served] = all('AWS::Lambda::Function').find(([, each]) => each.Properties.FunctionName === name) ?? [];
  const [, alias] =
    all('AWS::Lambda::Alias').find(
      ([, { Properties }]) => Properties.FunctionName === id && Properties.Name === aliasName,
    ) ?? [];
  const versions = all('AWS::Lambda::Version').filter(([, { Properties }]) => Properties.FunctionName === id);
  const isAtVersion = versions.some(([version]) => alias?.Properties.FunctionVersion === `${version},Version`);
  if (served === undefined || !isAtVersion) throw new Error(`${uri} leads to no version of a function`);
  // An alias has a policy of its own, and its function's does not count: https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
  const mayBeCalled = all('AWS::Lambda::Permission').some(
    ([, { Properties }]) =>
      Properties.FunctionName === arn &&
      Properties.Action === 'lambda:InvokeFunction' &&
      Properties.Principal === 'apigateway.amazonaws.com' &&
      String(Properties.SourceArn).endsWith(source),
  );
  if (!mayBeCalled) throw new Error(`API Gateway may not call ${arn}`);
  return functionSchema.parse(served.Properties);
}
