interface Limit {
  readonly units: number;
  readonly roundTrips: number;
  /** CPU time, divided by that of the yardstick. */
  readonly cpu: number;
}

/** The most that a page may take, by the number of records and the page. */
export const LIMITS: Readonly<Record<number, Readonly<Record<string, Limit>>>> = {
  100000: {
    'all, first page': { units: 8, roundTrips: 1, cpu: 0.45 },
    'all, middle': { units: 8, roundTrips: 2, cpu: 0.5 },
    'all, last page': { units: 8, roundTrips: 2, cpu: 0.45 },
    'a filter that half match': { units: 8, roundTrips: 2, cpu: 0.5 },
    'four such filters': { units: 33, roundTrips: 2, cpu: 0.8 },
    'ten records, and half': { units: 9.5, roundTrips: 2, cpu: 0.5 },
  },
  1000000: {
    'all, first page': { units: 49, roundTrips: 1, cpu: 1.1 },
    'all, middle': { units: 49, roundTrips: 2, cpu: 1.1 },
    'all, last page': { units: 49, roundTrips: 2, cpu: 1.1 },
    'a filter that half match': { units: 53, roundTrips: 2, cpu: 1.1 },
    'four such filters': { units: 213, roundTrips: 2, cpu: 3 },
    'ten records, and half': { units: 54.5, roundTrips: 2, cpu: 0.9 },
    '99 % deleted': { units: 10, roundTrips: 2, cpu: 0.5 },
    '99 % deleted, anywhere': { units: 20, roundTrips: 2, cpu: 0.8 },
    // With the time of each entry, and the gaps of the list.
    'a word': { units: 46, roundTrips: 2, cpu: 0.8 },
    'a word of as many as are read': { units: 90, roundTrips: 2, cpu: 1 },
    // Two words of people's texts take up to 150.
    'two words': { units: 60, roundTrips: 3, cpu: 0.8 },
    'two words, one of half of the records': { units: 110, roundTrips: 3, cpu: 1.2 },
    'two words of as many as are read': { units: 100, roundTrips: 3, cpu: 1 },
    'a word, and half': { units: 140, roundTrips: 2, cpu: 1.2 },
    'a word of half of the records, and ten records': { units: 88, roundTrips: 3, cpu: 1 },
    'by activity, first page': { units: 16, roundTrips: 2, cpu: 0.5 },
    'half by activity, first page': { units: 68, roundTrips: 2, cpu: 1 },
    'half by activity, page 300': { units: 515, roundTrips: 5, cpu: 4 },
    'ten records by activity': { units: 15, roundTrips: 2, cpu: 0.6 },
    'two words by activity': { units: 60, roundTrips: 3, cpu: 0.8 },
  },
  10000000: {
    'all, first page': { units: 463, roundTrips: 2, cpu: 6 },
    'all, middle': { units: 463, roundTrips: 3, cpu: 6 },
    'all, last page': { units: 463, roundTrips: 3, cpu: 6 },
    'a filter that half match': { units: 494.5, roundTrips: 3, cpu: 6 },
    'four such filters': { units: 1_990, roundTrips: 3, cpu: 17 },
    'ten records, and half': { units: 65, roundTrips: 3, cpu: 0.9 },
    '99.98 % deleted': { units: 10, roundTrips: 2, cpu: 1.5 },
  },
};

/** Of a process that reads pages, with the heap of a function of 1,024 MB. */
export const MOST_RESIDENT_MB = 400;
