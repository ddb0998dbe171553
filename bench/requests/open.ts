import type { HandlerOf, Setting } from './contender.ts';
import type { ContenderName, RawName } from './names.ts';

/** Makes a contender. Loads its modules only here, so that a process does not load those of others. */
export async function openContender(name: Exclude<ContenderName, RawName>, setting: Setting): Promise<HandlerOf> {
  if (name === 'ours') return (await import('./ours.ts')).ours(setting);
  const { peerRoutes } = await import('./peers/api.ts');
  switch (name) {
    case 'middy': {
      const [{ plainStore }, { middyFunctions }] = await Promise.all([
        import('./peers/plain.ts'),
        import('./peers/by-hand.ts'),
      ]);
      return middyFunctions(peerRoutes(plainStore(setting)));
    }
    case 'powertools': {
      const [{ plainStore }, { powertoolsFunctions }] = await Promise.all([
        import('./peers/plain.ts'),
        import('./peers/powertools.ts'),
      ]);
      return powertoolsFunctions(peerRoutes(plainStore(setting)));
    }
    case 'hono': {
      const [{ electroStore }, { honoFunctions }] = await Promise.all([
        import('./peers/electro.ts'),
        import('./peers/hono.ts'),
      ]);
      return honoFunctions(peerRoutes(electroStore(setting)));
    }
    case 'toolbox': {
      const [{ toolboxStore }, { bareFunctions }] = await Promise.all([
        import('./peers/toolbox.ts'),
        import('./peers/by-hand.ts'),
      ]);
      return bareFunctions(peerRoutes(toolboxStore(setting)));
    }
  }
}
