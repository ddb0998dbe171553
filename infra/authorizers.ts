import { Duration } from 'aws-cdk-lib';
import { AuthorizationType, IdentitySource, type MethodOptions, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Auth } from '../shared/contract/route.ts';
import type { Settings } from './settings.ts';

/** How long the gateway holds on to an answer: a key that is cut off still works for that long (DESIGN §2). */
const CACHE = Duration.seconds(60);

/** Who checks the caller of a route. */
export class Authorizers extends Construct {
  readonly #handler: IFunction;
  readonly #firstKey: boolean;
  #bearer: RequestAuthorizer | undefined;
  #optional: RequestAuthorizer | undefined;

  constructor(scope: Construct, id: string, handler: IFunction, { firstKey }: Settings) {
    super(scope, id);
    this.#handler = handler;
    this.#firstKey = firstKey;
  }

  optionsFor(auth: Auth): MethodOptions {
    if (auth === 'signature' || auth === 'none') return { authorizationType: AuthorizationType.NONE };
    const authorizer = auth === 'bearer-optional' && this.#firstKey ? this.#optionalToken() : this.#token();
    return { authorizationType: AuthorizationType.CUSTOM, authorizer };
  }

  /** Not asked where the `Authorization` header is missing; its answers are kept by that header. */
  #token(): RequestAuthorizer {
    this.#bearer ??= new RequestAuthorizer(this, 'Bearer', {
      handler: this.#handler,
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: CACHE,
    });
    return this.#bearer;
  }

  /** Asked about every request, with or without a token. */
  #optionalToken(): RequestAuthorizer {
    this.#optional ??= new RequestAuthorizer(this, 'Optional', {
      handler: this.#handler,
      identitySources: [],
      resultsCacheTtl: Duration.seconds(0),
    });
    return this.#optional;
  }
}
