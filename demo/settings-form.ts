import { byId } from './dom.js';
import { ruleLabels, type Settings } from './settings.js';

/** Where the open form would not push the video off the screen: the width at which style.css leaves the phone's layout. */
const roomForSettings = '(min-width: 701px)';

/**
 * Fills the form in. It is an ordinary GET form whose fields are named as in the query: Apply loads the page anew with the
 * settings in its address, and nothing of the old player is left.
 */
export function fillSettingsForm(settings: Settings): void {
  byId('manifest', HTMLInputElement).value = settings.manifest;
  const rule = byId('rule', HTMLSelectElement);
  rule.replaceChildren(...Object.entries(ruleLabels).map(([name, label]) => new Option(label, name)));
  rule.value = settings.rule;
  byId('buffer', HTMLSelectElement).value = String(settings.buffer);
  byId('refetch', HTMLSelectElement).value = settings.refetch ? '1' : '0';
  byId('autoplay', HTMLInputElement).checked = settings.autoplay;
  const transport = byId('transport-setting', HTMLSelectElement);
  transport.value = settings.transport;
  const pluginSettings = byId('plugin-settings', HTMLFieldSetElement);
  const panel = byId('settings', HTMLDetailsElement);
  panel.open = matchMedia(roomForSettings).matches;
  byId('settings-summary', HTMLElement).textContent = summary(settings);
  // Plain dash.js chooses and buffers as it always does.
  const update = () => (pluginSettings.disabled = transport.value === 'plain');
  transport.addEventListener('change', update);
  update();
}

function summary({ transport, rule, buffer }: Settings): string {
  return transport === 'plain' ? 'plain dash.js' : `${transport} · ${rule} · buffer ${buffer}`;
}
