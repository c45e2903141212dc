import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import {
  segmentDurationOf,
  type DashPlayer,
  type DashRepresentation,
  type FragmentRequest,
  type RulesContext,
  type Stream,
  type SwitchRequest,
} from './dash-types.js';
import type { LoaderAdapter, LoaderContext } from './loader-adapter.js';

const SWITCH_RULE = 'VoxelSwitchRule';
const ABANDON_RULE = 'VoxelAbandonRule';

/** Puts the rate control's answers where dash.js looks for them. The function returned takes the rules away. */
export function addRules(player: DashPlayer, context: LoaderContext, loader: LoaderAdapter): () => void {
  let active = true;
  const rule = (name: string, methods: object): object => {
    const instance = { getClassName: () => name, reset: () => undefined, ...methods };
    return () => ({ create: () => instance });
  };
  player.addABRCustomRule(
    'qualitySwitchRules',
    SWITCH_RULE,
    rule(SWITCH_RULE, {
      getSwitchRequest: (rules: RulesContext) =>
        switchRequest(SWITCH_RULE, active ? chooseRepresentation(player, context, rules) : null),
    }),
  );
  player.addABRCustomRule(
    'abandonFragmentRules',
    ABANDON_RULE,
    rule(ABANDON_RULE, {
      shouldAbandon: (rules: RulesContext) =>
        switchRequest(ABANDON_RULE, active ? findRestart(context, loader, rules) : null),
    }),
  );
  return () => {
    active = false;
    player.removeABRCustomRule(SWITCH_RULE);
    player.removeABRCustomRule(ABANDON_RULE);
  };
}

/** A strong request wins over dash.js' own rules; without a representation they decide. */
function switchRequest(rule: string, representation: DashRepresentation | null): SwitchRequest {
  return { representation, priority: representation ? 1 : 0.5, reason: representation && { rule }, rule };
}

function chooseRepresentation(
  player: DashPlayer,
  { rateControl, presentation, indexes, sessions, throughput, retransmission, bufferLevel }: LoaderContext,
  rules: RulesContext,
): DashRepresentation | null {
  if (rules.getMediaType() !== 'video') return null;
  const next = nextRequest(player, rules);
  const allowed = allowedRepresentations(rules);
  const maps = allowed.map((representation) => presentation()?.representation(representation));
  // A ladder that has VOXEL data in part only cannot be compared by score.
  if (!next || !maps.every((map): map is RepresentationMap => map !== undefined)) return null;
  indexes.want(maps, next.index);
  if (!rateControl) return null;
  const isFirst = throughput.throughput === undefined;
  if (isFirst && maps.some((map) => indexes.isPending(map, next.index)))
    return allowed[maps.indexOf(rateControl.begin(maps))]!;
  const decision = rateControl.decide(maps, {
    segmentIndex: next.index,
    segmentDuration: segmentDurationOf(next),
    bufferLevel: bufferLevel(),
    segments: sessions.isOpen ? 'partial' : 'whole',
  });
  if (!decision) return null;
  retransmission?.expectRequestIn(decision.delay);
  rules.getScheduleController().setTimeToLoadDelay(decision.delay * 1000);
  return allowed[maps.indexOf(decision.representation)]!;
}

function findRestart(
  { presentation }: LoaderContext,
  loader: LoaderAdapter,
  rules: RulesContext,
): DashRepresentation | null {
  const restart = loader.restartOf(rules.getCurrentRequest());
  if (!restart) return null;
  const isChosen = (candidate: DashRepresentation): boolean =>
    presentation()?.representation(candidate) === restart.representation;
  return allowedRepresentations(rules).find(isChosen) ?? null;
}

function allowedRepresentations(rules: RulesContext): readonly DashRepresentation[] {
  return rules.getAbrController().getPossibleVoRepresentationsFilteredBySettings(rules.getMediaInfo(), true);
}

/** Undefined while dash.js prepares another period than the one that plays: then its own rules choose. */
function nextRequest(player: DashPlayer, rules: RulesContext): FragmentRequest | undefined {
  const stream = player.getActiveStream() as Stream | null;
  if (stream?.getId() !== rules.getStreamInfo().id) return undefined;
  const processor = stream.getStreamProcessors().find((candidate) => candidate.getType() === 'video');
  return processor?.probeNextRequest() ?? undefined;
}
