// Made by `npm run docs` from the contracts. Do not edit.
import type { PermissionEntry } from '#contract';

/** All permissions, sorted by code. */
export const catalogue: readonly PermissionEntry[] = [
  {
    id: 'c94f37e1-95fa-57b0-b84f-777982beb4af',
    code: 'audit:read',
    description: 'Read audit',
  },
  {
    id: '36f80d5e-1441-56cb-b5f9-b1b7964d034f',
    code: 'clients:read',
    description: 'Read clients',
  },
  {
    id: '83c51b7b-d052-5ffc-a882-2fe0a07c2dcd',
    code: 'clients:write',
    description: 'Read, create, change and delete clients',
  },
  {
    id: '9ec053ad-a890-5728-98b1-04f17f6ff0ea',
    code: 'integrations:read',
    description: 'Read integrations',
  },
  {
    id: '44f06bc3-b509-52cf-bc20-226b68f07576',
    code: 'integrations:write',
    description: 'Read, create, change and delete integrations',
  },
  {
    id: '389da1d5-35b6-5db4-b842-c829baaa59ff',
    code: 'logs:read',
    description: 'Read logs',
  },
  {
    id: 'f7265327-75dc-5b4c-9bfb-f9bddf45d4ec',
    code: 'logs:write',
    description: 'Read, create, change and delete logs',
  },
  {
    id: 'cf43e1cc-3515-5c67-92e2-db4c75e3b0db',
    code: 'memberships:read',
    description: 'Read memberships',
  },
  {
    id: 'babc3d9c-c798-5c8e-a1c1-136aa8c385b3',
    code: 'memberships:write',
    description: 'Read, create, change and delete memberships',
  },
  {
    id: '4e7d5043-4b05-5f9a-a81a-eee0a012de56',
    code: 'orgs:read',
    description: 'Read orgs',
  },
  {
    id: 'e9a3103e-1c9e-5068-8597-4f77778aea22',
    code: 'orgs:write',
    description: 'Read, create, change and delete orgs',
  },
  {
    id: '14973cf1-f245-5b7f-9fad-ee0d35d29e91',
    code: 'permissions:read',
    description: 'Read permissions',
  },
  {
    id: '62725501-8cb9-5d8e-9191-0357099304cc',
    code: 'resources:credentials',
    description: 'Read and set the credentials of resources',
  },
  {
    id: '7577f756-46c4-544f-bc0d-bc198ffac277',
    code: 'resources:read',
    description: 'Read resources',
  },
  {
    id: 'f98e30d3-d8a9-5551-98d5-30f75863bbea',
    code: 'resources:write',
    description: 'Read, create, change and delete resources',
  },
  {
    id: 'f509d4c1-577c-5c52-bdfe-9db2eaeacba6',
    code: 'roles:read',
    description: 'Read roles',
  },
  {
    id: 'aeb3e8f0-dd97-5912-83c3-6ac97e1abc5a',
    code: 'roles:write',
    description: 'Read, create, change and delete roles',
  },
  {
    id: '370814fb-5c35-5e9c-ad46-ef0515eb5974',
    code: 'service-actions:read',
    description: 'Read service actions',
  },
  {
    id: '92f194f5-f444-592d-934f-40eab7aa4888',
    code: 'service-actions:write',
    description: 'Read, create, change and delete service actions',
  },
  {
    id: '5b89b4e9-5e08-5a3c-a4e0-531a5d8bc2e3',
    code: 'services:credentials',
    description: 'Read and set the credentials of services',
  },
  {
    id: '3517b113-0431-5dd7-beba-cd3ed37abfa5',
    code: 'services:read',
    description: 'Read services',
  },
  {
    id: '5cea0fd9-b357-53ef-a4c7-f31a3d847255',
    code: 'services:write',
    description: 'Read, create, change and delete services',
  },
  {
    id: 'e21085e4-de4e-57f0-a27e-16fd49ed84cb',
    code: 'terminals:read',
    description: 'Read terminals',
  },
  {
    id: '2693037e-dc61-5bc0-b920-c517d088db4c',
    code: 'terminals:write',
    description: 'Read, create, change and delete terminals',
  },
  {
    id: 'f1b8df67-f869-54ff-90b4-3673e04c4e71',
    code: 'tickets:read',
    description: 'Read tickets',
  },
  {
    id: '826077a1-9cb0-530f-81ae-ac4f3d216bf9',
    code: 'tickets:write',
    description: 'Read, create, change and delete tickets',
  },
  {
    id: '10afd778-a8d6-5e77-8dd8-adf271e2d8fc',
    code: 'users:read',
    description: 'Read users',
  },
  {
    id: 'b448ae4f-74c1-5788-bb21-8320a851c8bb',
    code: 'users:write',
    description: 'Read, create, change and delete users',
  },
  {
    id: '4ac0296e-fcc0-524f-9119-281870bfd616',
    code: 'webhooks:read',
    description: 'Read webhooks',
  },
];
