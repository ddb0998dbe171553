import type { Contract } from '../shared/contract/route.ts';
import { clients } from './clients/contract.ts';
import { terminals } from './terminals/contract.ts';

/** Every domain of the API. The stack, the local gateway, the OpenAPI document and the permission catalogue are made from this list. */
export const contracts: readonly Contract[] = [clients, terminals];
