import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { assets } from '../functions/docs/site/assets.static.ts';
import { reference } from '../functions/docs/site/reference.static.ts';
import { all } from '../functions/docs/site/reference-all.static.ts';
import { launchChromium } from '../test/browser/chromium.ts';
import { type Bound, boundText, holds } from './bounds.ts';

/** A phone on a slow network: a quarter of this CPU, 1.6 Mbit/s, 150 ms. In bytes a second and milliseconds. */
const PHONE = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };

/** Pages of the reference in Chromium: seconds of CPU until the page is idle, and until its heading on a slow phone. */
export async function benchReference(): Promise<boolean> {
  const server = createServer((request, response) => {
    const name = request.url?.slice('/docs/'.length) ?? '';
    const page = name === 'reference-all' ? all : reference[name];
    const { mediaType, text = '' } = assets.find((asset) => asset.name === name) ?? { mediaType: 'text/html', ...page };
    const headers = { 'Content-Type': `${mediaType}; charset=utf-8`, 'Content-Encoding': 'gzip' };
    response.writeHead(text === '' ? 404 : 200, headers).end(gzipSync(text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const browser = await launchChromium();
  const bounds: Bound[] = [];
  for (const name of ['reference', 'reference-tickets', 'reference-all']) {
    // That for paper has ten times as much.
    const isWhole = name === 'reference-all';
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/${name}`;
    bounds.push(
      { claim: `${name}: seconds of CPU`, measured: (await loaded(browser, url)).cpu, atMost: isWhole ? 1 : 0.35 },
      { claim: `${name}: seconds to its heading`, measured: (await loaded(browser, url, 4)).heading, atMost: 2 },
    );
  }
  await browser.close();
  server.close();
  for (const bound of bounds) console.log(boundText(bound));
  return bounds.every(holds);
}

async function loaded(browser: Browser, url: string, slower = 1) {
  const page = await browser.newPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('Network.enable');
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  if (slower > 1) await devtools.send('Network.emulateNetworkConditions', PHONE);
  await page.goto(url, { waitUntil: 'networkidle' });
  const paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1_000";
  const heading = Number(await page.evaluate(paint));
  const { metrics } = await devtools.send('Performance.getMetrics');
  await page.close();
  return { heading, cpu: metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN };
}
