export { type Bundles, bundle, bundleOne } from './bundle.ts';
