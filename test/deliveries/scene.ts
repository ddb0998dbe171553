import { DeliveryWorld, type Endpoint, type Organization } from '../support/delivery-world.ts';
import type { FreshTable } from '../support/dynamodb.ts';

/** An organization with an endpoint, in a world of its own. */
export interface Scene {
  readonly world: DeliveryWorld;
  readonly acme: Organization;
  readonly hook: Endpoint;
}

/** What a test of deliveries begins with. @param fields of the endpoint */
export async function begin(place: FreshTable, fields: Parameters<Organization['endpoint']>[0] = {}): Promise<Scene> {
  const world = new DeliveryWorld(place);
  const acme = await world.organization();
  return { world, acme, hook: await acme.endpoint(fields) };
}
