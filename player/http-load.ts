import { totalBytes } from '../src/manifest/byte-range.js';
import { IntervalSet } from '../src/manifest/interval-set.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { recordDelivery } from './record-delivery.js';

/** dash.js' own request for a whole segment, which is recorded when it succeeds. */
export function loadOverHttp(context: LoadContext, job: LoadJob): unknown {
  const { request, response, parentLoad, map, key } = job;
  const { customData } = request;
  const startedAt = performance.now();
  const onloadend = customData.onloadend;
  customData.onloadend = () => {
    const { data } = response;
    if (data instanceof ArrayBuffer && data.byteLength === map.range.end - map.range.start) {
      const received = new IntervalSet();
      received.add(0, data.byteLength);
      const bytesUnreliable = totalBytes(map.unreliable);
      recordDelivery(
        context,
        job,
        { level: map.steps.length - 1, transport: 'http' },
        {
          ...{
            bytes: new Uint8Array(data),
            received,
            lost: [],
            bytesLost: 0,
            bytesReliable: map.reliableBytes,
            bytesUnreliable,
          },
          seconds: (performance.now() - startedAt) / 1000,
        },
        context.repairers.repair(key, { bytes: new Uint8Array(data), received }),
      );
    }
    onloadend?.();
  };
  return parentLoad(request, response);
}
