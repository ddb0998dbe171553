import type { Plugin } from 'esbuild';

/**
 * Leaves out the SDK's reader of `~/.aws/config` and `~/.aws/credentials`: a Lambda has neither, and each client looks for both at its first
 * call. Settings come from the environment and from the client's own options.
 */
export const withoutSharedConfig: Plugin = {
  name: 'without-shared-config',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared-ini-file-loader[\\/]loadSharedConfigFiles\.js$/ }, () => ({
      contents: `
        export { CONFIG_PREFIX_SEPARATOR } from './constants';
        export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
      loader: 'js',
    }));
  },
};
