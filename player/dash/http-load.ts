import { totalBytes } from '../../src/manifest/byte-range.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { APPEND_TIME, noteDelivery, recordDelivery, type DeliveryFacts } from './record-delivery.js';

/** dash.js' own request for a whole segment, which is recorded when it succeeds. */
export function loadOverHttp(context: LoadContext, job: LoadJob): unknown {
  const { request, response, parentLoad, map, key } = job;
  const { customData } = request;
  const way = { level: map.steps.length - 1, delivery: 'http' } as const;
  const startedAt = performance.now();
  const onloadend = customData.onloadend;
  customData.onloadend = () => {
    const { data } = response;
    const isWhole = data instanceof ArrayBuffer && data.byteLength === map.range.end - map.range.start;
    const facts = isWhole && factsOf(new Uint8Array(data), job, (performance.now() - startedAt) / 1000);
    if (facts) noteDelivery(context, job, way, facts);
    onloadend?.();
    if (!facts) return;
    setTimeout(() => recordDelivery(context, job, way, facts, context.repairers.repair(key, facts)), APPEND_TIME);
  };
  return parentLoad(request, response);
}

function factsOf(bytes: Uint8Array, { map }: LoadJob, seconds: number): DeliveryFacts {
  const received = new IntervalSet();
  received.add(0, bytes.length);
  const { reliableBytes: bytesReliable, unreliable } = map;
  return { bytes, received, lost: [], bytesLost: 0, bytesReliable, bytesUnreliable: totalBytes(unreliable), seconds };
}
