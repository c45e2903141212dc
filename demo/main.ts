import type {} from './voxel-demo.js';
import { Charts } from './charts.js';
import { byId } from './dom.js';
import { downloadJson } from './download.js';
import { showFacts } from './facts.js';
import { NoticeList } from './notice-list.js';
import { notice, sessionNotice } from './notices.js';
import { startRun } from './run.js';
import { SegmentTable } from './segment-table.js';
import { fillSettingsForm } from './settings-form.js';
import { parseSettings } from './settings.js';
import { SupportPanel } from './support-panel.js';
import { checkSupport } from './support.js';
import { takeSample, TimeSeries } from './time-series.js';
import { showTrackMenus } from './track-menu.js';
import { showDelivery } from './delivery-badge.js';
import { showWallClock } from './wall-clock.js';

/** Often enough to see a buffer move, seldom enough to leave the processor to the video. */
const samplingMs = 500;
/** Ten minutes of samples: more than a chart has pixels for. */
const samplesKept = 1200;

const { settings, problems } = parseSettings(new URL(location.href));
const support = checkSupport(window);
const notices = new NoticeList(byId('notices', HTMLElement));
const supportPanel = new SupportPanel(byId('support', HTMLElement), support);

fillSettingsForm(settings);
for (const problem of problems) notices.show(notice('settings', problem));
if (!support.h264) notices.show(notice('no-media-source', navigator.userAgent));

const video = byId('video', HTMLVideoElement);
const run = startRun(video, settings, {
  notice: (problem) => notices.show(problem),
  session(event) {
    supportPanel.showSession(event);
    if (event.state === 'opened') notices.withdraw('session-failed', 'discovery-failed');
    if (event.state === 'failed') notices.show(sessionNotice(event, support));
  },
});

showTrackMenus(byId('tracks', HTMLElement), run.player);

const segments = new SegmentTable(byId('segments', HTMLElement));
run.source.onSegment((segment) => {
  notices.withdraw('no-voxel-data');
  segments.add(segment);
});

const series = new TimeSeries(samplesKept);
const charts = new Charts(
  {
    buffer: byId('chart-buffer', HTMLElement),
    latency: byId('chart-latency', HTMLElement),
    throughput: byId('chart-throughput', HTMLElement),
    level: byId('chart-level', HTMLElement),
  },
  run.ladder,
);
const badge = byId('delivery', HTMLElement);

function refresh(): void {
  showDelivery(badge, run.source.segments(), settings.delivery);
  const live = run.live();
  document.body.classList.toggle('live', live !== undefined);
  showFacts(run.playback(), run.firstPictures(), run.source.segments(), live, run.codec());
  supportPanel.showPaths(run.handle?.statistics().paths ?? []);
  if (run.playback().ended) return;
  series.add(takeSample(performance.now() / 1000, run.source, run.ladder(), live));
  charts.show(series.columns);
}

refresh();
setInterval(refresh, samplingMs);
showWallClock(byId('wall-clock', HTMLElement));

byId('export', HTMLButtonElement).addEventListener('click', () =>
  downloadJson('voxel-run.json', { ...run.report(), samples: series.columns }),
);

window.voxelDemo = {
  report: run.report,
  get ended() {
    return run.playback().ended;
  },
  video,
  player: run.player,
  handle: run.handle,
};
