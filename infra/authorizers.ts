import { Duration } from 'aws-cdk-lib';
import { AuthorizationType, IdentitySource, type MethodOptions, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Auth } from '../shared/contract/route.ts';
import type { Settings } from './settings.ts';

/** Who checks the caller of a route. */
export class Authorizers extends Construct {
  readonly #handler: IFunction;
  readonly #firstKey: boolean;
  readonly #cache: Duration;
  #bearer: RequestAuthorizer | undefined;
  #optional: RequestAuthorizer | undefined;

  constructor(scope: Construct, id: string, handler: IFunction, { firstKey, authorizerCacheSeconds }: Settings) {
    super(scope, id);
    this.#handler = handler;
    this.#firstKey = firstKey;
    this.#cache = Duration.seconds(authorizerCacheSeconds);
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
      resultsCacheTtl: this.#cache,
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
