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
  const delivery = byId('delivery-setting', HTMLSelectElement);
  delivery.value = settings.delivery;
  const pluginSettings = byId('plugin-settings', HTMLFieldSetElement);
  const panel = byId('settings', HTMLDetailsElement);
  panel.open = matchMedia(roomForSettings).matches;
  byId('settings-summary', HTMLElement).textContent = summary(settings);
  // Plain dash.js chooses and buffers as it always does.
  const update = () => (pluginSettings.disabled = delivery.value === 'plain');
  delivery.addEventListener('change', update);
  update();
}

function summary({ delivery, rule, buffer }: Settings): string {
  return delivery === 'plain' ? 'plain dash.js' : `${delivery} · ${rule} · buffer ${buffer}`;
}
