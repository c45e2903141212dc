import { expect, it } from 'vitest';
import { withCmcdOf, withCmcdOfSession, withFigures, withoutCmcdOfRequest, withStartupOf } from './cmcd.js';

const url = 'https://media.example/a.mp4';
const list = 'br=(3000),cid="a,(b",nor=("x,y).mp4";r="0-9"),ot=v,sid="1",v=2';

it('puts the score of the last segment into CMCD, in order, as a string', () => {
  const request = { url: `${url}?a=1&CMCD=${encodeURIComponent(list)}&b=2#c` };
  const { url: scored } = withFigures(request, 0.987654, undefined);
  const expected = 'br=(3000),cid="a,(b",com.voxel-dash-score="0.98765",nor=("x,y).mp4";r="0-9"),ot=v,sid="1",v=2';
  expect(scored).toBe(`${url}?a=1&CMCD=${encodeURIComponent(expected)}&b=2#c`);
  const headers = { Range: 'bytes=0-1', 'CMCD-Session': 'sid="1"' };
  expect(withFigures({ url, headers }, 1, undefined).headers).toEqual({
    ...headers,
    'CMCD-Session': 'com.voxel-dash-score="1",sid="1"',
  });
  const own = { Range: 'bytes=0-1', 'cmcd-request': 'bl=(1),mtp=(2)' };
  expect(withFigures({ url, headers: own }, 0.5, 1234.5).headers).toEqual({
    ...own,
    'cmcd-request': 'bl=(1),com.voxel-dash-score="0.5",com.voxel-dash-startup="1234.5",mtp=(2)',
  });
});

it('leaves requests as they are without CMCD, without a score, and with CMCD that is none', () => {
  for (const request of [{ url: `${url}?a=1` }, { url: `${url}?CMCD=%` }, { url, headers: { Range: 'bytes=0-1' } }])
    expect(withFigures(request, 0.5, 100)).toEqual(request);
  const request = { url: `${url}?CMCD=v%3D2` };
  expect(withFigures(request, undefined, undefined)).toEqual(request);
});

it('takes a plus for a space, as forms have it', () => {
  const value = new URLSearchParams({ a: 'br=(361;v 66;a)' }).toString().slice(2);
  const { url: scored } = withFigures({ url: `${url}?CMCD=${value}` }, 1, undefined);
  expect(new URL(scored).searchParams.get('CMCD')).toBe('br=(361;v 66;a),com.voxel-dash-score="1"');
});

it('keeps of fields what speaks of the session, and may be said again', () => {
  const session = { 'CMCD-Session': 'cid="a,b", msd=120,sid="1",v=2' };
  const request = { 'cmcd-request': 'bl=(1)', 'CMCD-Object': 'br=(1)', 'CMCD-Status': 'bs' };
  expect(withoutCmcdOfRequest({ authorization: 'mine', ...session, ...request })).toEqual({
    authorization: 'mine',
    'CMCD-Session': 'cid="a,b",sid="1",v=2',
  });
});

it('keeps of an address what speaks of the session', () => {
  expect(withCmcdOfSession(`${url}?CMCD=${encodeURIComponent(list)}`)).toBe(
    `${url}?CMCD=${encodeURIComponent('cid="a,(b",sid="1",v=2')}`,
  );
  expect(withCmcdOfSession(`${url}?a=1`)).toBe(`${url}?a=1`);
});

it('has a request say what another was to say', () => {
  const other = { url: `${url}?CMCD=bl%3D(1)%2Csid%3D%221%22`, headers: { 'CMCD-Request': 'bl=(1)', a: 'b' } };
  expect(withCmcdOf({ url: `${url}?t=1&CMCD=v%3D2&b=2`, headers: { c: 'd' } }, other)).toEqual({
    url: `${url}?t=1&CMCD=bl%3D(1)%2Csid%3D%221%22&b=2`,
    headers: { c: 'd', 'CMCD-Request': 'bl=(1)' },
  });
  expect(withCmcdOf({ url: `${url}?t=1` }, { url })).toEqual({ url: `${url}?t=1`, headers: {} });
});

it('leaves no empty parameter', () => {
  expect(withCmcdOfSession(`${url}?a=1&CMCD=bl%3D(1)`)).toBe(`${url}?a=1`);
  expect(withCmcdOfSession(`${url}?CMCD=bl%3D(1)#c`)).not.toContain('CMCD');
});

it('has a request say the start-up that another was to say, and nothing else of it', () => {
  const query = { url: `${url}?CMCD=sn%3D1` };
  const field = { url, headers: { 'CMCD-Request': 'sn=1' } };
  for (const other of [query, field]) {
    const said = withFigures(other, 0.5, 1234.5);
    expect(withStartupOf({ url: `${url}?CMCD=sn%3D2` }, said)).toEqual({
      url: `${url}?CMCD=${encodeURIComponent('com.voxel-dash-startup="1234.5",sn=2')}`,
    });
    expect(withStartupOf({ url, headers: { 'CMCD-Request': 'sn=2' } }, said)).toEqual({
      url,
      headers: { 'CMCD-Request': 'com.voxel-dash-startup="1234.5",sn=2' },
    });
    expect(withStartupOf(query, other)).toBe(query);
  }
});
