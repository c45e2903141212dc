// @ts-check

/**
 * The steps of the interop matrix in a page: for `page.evaluate`, so everything that it needs is inside it.
 * @param {string} endpoint @param {string} hash base64
 * @returns {Promise<Record<string, string>>} by step why it failed; empty where it did not
 */
export async function stepsInPage(endpoint, hash) {
  const value = Uint8Array.from(atob(hash), (character) => character.charCodeAt(0));
  const [target, streamBytes, datagramBytes, flow, sessions, patience] = [
    '/media.mp4',
    1_000_000,
    10_000,
    7,
    20,
    10_000,
  ];
  const encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const head = (/** @type {string} */ fields = '') =>
    encode(`GET ${target} HTTP/1.1\r\nhost: interop\r\n${fields}\r\n`);
  const check = (/** @type {Uint8Array} */ data, /** @type {number} */ offset = 0) => {
    if (!data.every((byte, index) => byte === (offset + index) % 251)) throw new Error('wrong bytes');
  };
  const open = async () => {
    const serverCertificateHashes = [{ algorithm: 'sha-256', value }];
    const session = new WebTransport(endpoint, {
      ...{ protocols: ['voxel-1'], requireUnreliable: true },
      serverCertificateHashes,
    });
    session.closed.catch(() => undefined);
    session.datagrams.incomingHighWaterMark = 100; // Firefox keeps few by default.
    await session.ready;
    return session;
  };
  const write = async (/** @type {WebTransport} */ session, /** @type {Uint8Array} */ text) => {
    const stream = await session.createBidirectionalStream();
    const writer = /** @type {WritableStream<Uint8Array>} */ (stream.writable).getWriter();
    await writer.write(text);
    return { writer, readable: /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (stream.readable) };
  };
  const request = async (/** @type {WebTransport} */ session, /** @type {string} */ fields) => {
    const { writer, readable } = await write(session, head(fields));
    await writer.close();
    const answer = new Uint8Array(await new Response(readable).arrayBuffer());
    return answer.subarray(new TextDecoder('latin1').decode(answer.subarray(0, 4096)).indexOf('\r\n\r\n') + 4);
  };
  const reliable = async (/** @type {WebTransport} */ session, /** @type {number} */ length) => {
    const body = await request(session, `range: bytes=0-${length - 1}\r\n`);
    if (body.length !== length) throw new Error(`${body.length} of ${length} bytes`);
    check(body);
  };
  const varint = (/** @type {Uint8Array} */ data) => {
    const [first = 0] = data;
    const length = 1 << (first >> 6);
    const number = data.subarray(1, length).reduce((sum, byte) => sum * 256 + byte, first & 0x3f);
    return { number, rest: data.subarray(length) };
  };
  const datagrams = async (/** @type {WebTransport} */ session) => {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (session.datagrams.readable).getReader();
    const fields = `range: bytes=0-${datagramBytes - 1}\r\nx-voxel-unreliable: ?1;flow=${flow}\r\n`;
    const answered = request(session, fields);
    let received = 0;
    const late = new Promise((resolve) => setTimeout(resolve, patience / 2)).then(() => ({ value: undefined }));
    while (received < datagramBytes) {
      const { value } = await Promise.race([reader.read(), late]);
      if (!value) throw new Error(`${received} of ${datagramBytes} bytes`);
      const { number, rest } = varint(value);
      if (number !== flow) throw new Error(`a datagram of flow ${number}`);
      const { number: offset, rest: payload } = varint(rest);
      check(payload, offset);
      received += payload.length;
    }
    await answered;
  };
  const reset = async (/** @type {WebTransport} */ session) => {
    const half = await write(session, encode('GET /med'));
    await half.writer.abort();
    const stopped = await write(session, head());
    await stopped.writer.close();
    const reader = stopped.readable.getReader();
    await reader.read();
    await reader.cancel();
    await reliable(session, 10);
  };
  const again = async () => {
    for (let number = 1; number <= sessions; number++) {
      try {
        const session = await open();
        await reliable(session, 10);
        session.close({ closeCode: 0, reason: '' });
      } catch (error) {
        throw new Error(`session ${number}: ${String(error)}`, { cause: error });
      }
    }
  };
  /** @type {Record<string, string>} */
  const result = {};
  const note = async (/** @type {string} */ step, /** @type {() => unknown} */ run, limit = patience) => {
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`nothing for ${limit / 1000} s`)), limit),
    );
    try {
      await Promise.race([run(), late]);
      result[step] = '';
    } catch (error) {
      result[step] = String(error);
    }
  };
  /** @type {WebTransport | undefined} */
  let session;
  await note('session', async () => (session = await open()));
  if (!session) return result;
  const opened = session;
  await note('streams', () => reliable(opened, streamBytes));
  await note('datagrams', () => datagrams(opened));
  await note('reset', () => reset(opened));
  await note('close', () => opened.close({ closeCode: 4711, reason: 'interop' }));
  await note('again', again, 6 * patience);
  return result;
}
