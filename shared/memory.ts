/** Puts an entry last into a map. Drops the oldest entries when there are more than `most`. */
export function keepNewest<V>(map: Map<string, V>, name: string, value: V, most: number): void {
  map.delete(name);
  map.set(name, value);
  // A map's iterator passes over what was deleted.
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

/** Makes a value when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
