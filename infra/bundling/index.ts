export { type Bundles, bundle, bundleOne } from './bundle.ts';
export { CODE_CACHE } from './script.ts';
