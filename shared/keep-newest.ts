/** Puts an entry last into a map, and drops the first ones when there are more than `most`: those that were put in longest ago. */
export function keepNewest<V>(map: Map<string, V>, name: string, value: V, most: number): void {
  map.delete(name);
  map.set(name, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
