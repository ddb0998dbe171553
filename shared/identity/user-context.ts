import { anyText, equalTo, isObject, isUuid, isWellFormed, jsonOf, matching, nonEmptyText } from '../well-formed.ts';

/** What the authorizer passes on of a user. API Gateway allows only strings. */
export interface UserContext {
  readonly type: 'user';
  readonly user_id: string;
  readonly name: string;
  readonly provider_id: string;
  readonly org_id: string;
  readonly token_id: string;
  readonly token_epoch: string;
  /** Issue and expiry of the token, in epoch seconds. */
  readonly issued_at: string;
  readonly expires_at: string;
  /** Permission codes for the whole organization, separated by spaces; `*` for all of it. */
  readonly permissions: string;
  /** What it may do for single clients only ({@link clientPermissionsText}). */
  readonly client_permissions: string;
  /** Permission codes that the token is narrowed to, separated by spaces; empty where it is not. */
  readonly scope: string;
  /** `version` of the user's access item, and of the organization's sign-in item (`#tenancy`). */
  readonly access_version: string;
  readonly sign_in_version: string;
}

const NUMBER = matching(/^\d+$/);

const CONTEXT = {
  type: equalTo('user'),
  user_id: isUuid,
  name: nonEmptyText,
  provider_id: isUuid,
  org_id: isUuid,
  token_id: nonEmptyText,
  token_epoch: NUMBER,
  issued_at: NUMBER,
  expires_at: NUMBER,
  permissions: anyText,
  client_permissions: nonEmptyText,
  scope: anyText,
  access_version: NUMBER,
  sign_in_version: NUMBER,
};

/** Undefined for anything else. */
export const userContextIn = (context: object): UserContext | undefined =>
  isWellFormed<UserContext>(context, CONTEXT) ? context : undefined;

/** By code the places in `clients` of those for whom it is held: this keeps the text short for ten clients. */
interface ClientPermissions {
  readonly clients: readonly string[];
  readonly codes: Readonly<Record<string, readonly number[]>>;
}

/** The JSON by which the authorizer passes on what a user may do for single clients. */
export function clientPermissionsText(permissions: ReadonlyMap<string, Iterable<string>>): string {
  const codes = new Map<string, number[]>();
  for (const [place, held] of [...permissions.values()].entries()) {
    for (const code of held) codes.set(code, [...(codes.get(code) ?? []), place]);
  }
  const compact: ClientPermissions = { clients: [...permissions.keys()], codes: Object.fromEntries(codes) };
  return JSON.stringify(compact);
}

/** By client the codes that are held for it; undefined for a text that {@link clientPermissionsText} does not make. */
export function clientPermissionsIn(text: string): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const parsed = jsonOf(text);
  if (!isWellFormed<ClientPermissions>(parsed, { clients: listOf(isUuid), codes: isByCode })) return undefined;
  const { clients, codes } = parsed;
  const all = Object.entries(codes);
  if (all.some(([, places]) => places.some((place) => clients[place] === undefined))) return undefined;
  return new Map(
    clients.map((client, place) => [
      client,
      new Set(all.filter(([, places]) => places.includes(place)).map(([code]) => code)),
    ]),
  );
}

const listOf =
  (isOne: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isOne);

const isByCode = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(listOf(Number.isSafeInteger));
