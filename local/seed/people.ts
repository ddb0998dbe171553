import type { FieldValues } from './api.ts';
import type { Random } from './random.ts';

/** The people of the demo organization, and their tickets. */

export const USERS: readonly FieldValues[] = [
  ['Inês Duarte', 'ines'],
  ['Tiago Sousa', 'tiago'],
  ['Marta Lopes', 'marta'],
  ['Rui Almeida', 'rui'],
  ['Clara Nunes', 'clara'],
].map(([name, account], index) => ({
  name,
  email: `${account}@demo.example`,
  phone: `+351 210 000 0${10 + index}`,
  is_active: index < 4,
}));

export const ROLES: readonly FieldValues[] = [
  {
    code: 'support',
    label: 'Support',
    description: 'Answers tickets.',
    permissions: ['tickets:read', 'tickets:write'],
  },
  {
    code: 'operations',
    label: 'Operations',
    description: 'Runs services.',
    permissions: ['services:read', 'resources:read'],
  },
];

/** A role that nobody has. */
export const AUDITOR: FieldValues = {
  code: 'auditor',
  label: 'Auditor',
  description: 'Reads the audit log.',
  permissions: ['audit:read'],
};

const TOPICS = [
  ['The till prints no receipts', 'The printer is silent since this morning.', 'We restarted its driver.'],
  ['The shop is slow', 'Pages take ten seconds, mostly at noon.', 'A query lacked its index; it has it now.'],
  [
    'Mail from a partner does not arrive',
    'Nothing in the spam folder either.',
    'Their address was on a list of blocked ones.',
  ],
  ['New colleague needs an account', 'She starts on Monday.', 'The account is there; the password comes by letter.'],
  [
    'The backup of last night failed',
    'The report says that the disk is full.',
    'We moved the oldest ones to the archive.',
  ],
  ['The kiosk shows a black screen', 'Switching it off and on did not help.', 'Its cable was loose.'],
] as const;

const STATUSES = ['open', 'open', 'pending', 'closed', 'closed'] as const;

interface Place {
  readonly client_id: string;
  readonly service_id: string | null;
}

/** A ticket and its messages. */
export interface Talk {
  readonly ticket: FieldValues;
  readonly messages: readonly FieldValues[];
}

export function talk(place: Place, random: Random): Talk {
  const [subject, description, solution] = random.of(TOPICS);
  const contact_id = random.uuid();
  const status = random.of(STATUSES);
  const asked = { author_type: 'contact', author_id: contact_id, message: description };
  const author = { author_type: 'user', author_id: random.uuid() };
  const answers = [
    { ...author, message: 'Thank you, we are looking at it.' },
    { ...author, message: 'Seen before at another client; compare with last month.', is_internal: true },
    { ...author, message: solution },
  ];
  return {
    ticket: {
      ...place,
      contact_id,
      subject,
      description,
      status,
      priority: random.of(['low', 'normal', 'normal', 'high', 'urgent']),
      source: random.of(['email', 'phone', 'portal']),
      assigned_team: 'support',
      tags: ['demo'],
    },
    messages: [asked, ...answers.slice(0, status === 'closed' ? answers.length : random.between(0, 2))],
  };
}

const EVENTS = [
  ['info', 'The backup is complete'],
  ['info', 'The certificate was renewed'],
  ['debug', 'The cache was emptied'],
  ['warn', 'The disk is nearly full'],
  ['error', 'The payment provider does not answer'],
] as const;

export function sampleLogEntry(random: Random): FieldValues {
  const [level, message] = random.of(EVENTS);
  const metadata = {
    host: random.of(['shop-1', 'book-1', 'mail-1', 'stock-2']),
    duration_ms: random.between(3, 9_000),
  };
  return { level, message, metadata };
}
