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

const integrationSchema = z.object({ Uri: z.string().optional() });

/**
 * The functions that the API calls, by their names.
 * @throws Error where an address leads to no version of a function, or may not be called
 */
export function invokedFunctions(stack: Deployed): ReadonlyMap<string, InvokedFunction> {
  const found = Array.from(new Set(urisIn(stack)), (uri) => functionAt(stack, uri));
  return new Map(found.map((each) => [each.FunctionName, each]));
}

const urisIn = ({ resources }: Deployed): string[] =>
  [...resources.values()].flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::ApiGateway::Authorizer') return [String(Properties.AuthorizerUri)];
    if (Type !== 'AWS::ApiGateway::Method') return [];
    return integrationSchema.parse(Properties.Integration).Uri ?? [];
  });

const ADDRESS =
  /^arn:aws:apigateway:[\w-]+:lambda:path\/2015-03-31\/functions\/(?<arn>arn:aws:lambda:[\w-]+:\d+:function:(?<name>[\w-]+):(?<alias>[\w-]+))\/invocations$/;

function functionAt({ resources }: Deployed, uri: string): InvokedFunction {
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
      Properties.Principal === 'apigateway.amazonaws.com',
  );
  if (!mayBeCalled) throw new Error(`API Gateway may not call ${arn}`);
  return functionSchema.parse(served.Properties);
}
