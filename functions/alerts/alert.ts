import { hash } from 'node:crypto';
import type * as z from 'zod';
import * as field from '#contract/field';
import { isObject } from '../../shared/well-formed.ts';
import { type alerts, MAX_SHOWN } from './contract.ts';

/** An alert of any format. */
export interface Alert {
  /** Digest of its fingerprint, which may be long. */
  readonly digest: string;
  /** The part of its fingerprint that a response shows. */
  readonly shown: string;
  readonly status: 'firing' | 'resolved';
  readonly summary: string;
  readonly description: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Where its rule is; empty for nowhere. */
  readonly link: string;
  /** By its sender's clock, in epoch milliseconds; 0 where it does not say. */
  readonly startsAt: number;
  /** The same of its end: that of an alert that is over and does not say is when it began. */
  readonly endsAt: number;
}

type BodyOf<Id extends keyof (typeof alerts)['routes']> = z.output<(typeof alerts)['routes'][Id]['body']['schema']>;
export type OfAlertmanager = NonNullable<BodyOf<'receiveAlertsOfAlertmanager'>['alerts'][number]>;
export type OfCustodia = BodyOf<'receiveAlert'>;

export function fromAlertmanager(given: OfAlertmanager): Alert {
  const annotations = textsIn(given.annotations);
  const labels = textsIn(given.labels);
  return {
    ...commonOf(given),
    summary: annotations.get('summary') ?? annotations.get('title') ?? labels.get('alertname') ?? '',
    description: annotations.get('description') ?? annotations.get('message') ?? '',
    labels,
    link: given.generatorURL ?? '',
    ...timesOf(given.startsAt, given.endsAt),
  };
}

export const fromCustodia = (given: OfCustodia): Alert => ({
  ...commonOf(given),
  summary: given.summary ?? '',
  description: given.description ?? '',
  labels: textsIn(given.labels),
  link: '',
  ...timesOf(given.starts_at, given.ends_at),
});

const commonOf = ({ fingerprint, status }: Pick<OfCustodia, 'fingerprint' | 'status'>) => ({
  digest: hash('sha256', fingerprint, 'base64url'),
  shown: shownOf(fingerprint),
  status,
});

/** What a response shows of a fingerprint. */
export const shownOf = (fingerprint: string): string => fingerprint.slice(0, MAX_SHOWN).toWellFormed();

/** Longest text that is looked at, in UTF-16 code units: no field of a ticket is longer. */
const LONGEST = 20_000;
/** Most labels that are looked at. */
const MOST_TEXTS = 200;

/** The texts in an object that was sent, by name. A template may leave numbers and booleans. */
function textsIn(given: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (!isObject(given)) return texts;
  for (const name in given) {
    const value = given[name];
    if (texts.size === MOST_TEXTS) break;
    if (!Object.hasOwn(given, name) || (typeof value === 'object' && value !== null)) continue;
    texts.set(
      name.slice(0, MAX_SHOWN).toWellFormed(),
      String(value ?? '')
        .slice(0, LONGEST)
        .toWellFormed(),
    );
  }
  return texts;
}

function timesOf(start: string | undefined, end: string | undefined): Pick<Alert, 'startsAt' | 'endsAt'> {
  const [startsAt, endsAt] = [timeOf(start), timeOf(end)];
  return { startsAt, endsAt: Math.max(startsAt, endsAt) };
}

/** 0 for none, and for times before 1970: Alertmanager writes the year 1 for no time. */
const timeOf = (text = ''): number => Math.max(0, Date.parse(field.timestamp().safeParse(text).data ?? '') || 0);
