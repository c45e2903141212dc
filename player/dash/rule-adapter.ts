import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Retransmission } from '../segments/record/retransmission.js';
import type { Content } from '../segments/choose/content.js';
import type { DeliveryRecorder } from '../segments/record/delivery-recorder.js';
import type { SegmentChooser } from '../segments/choose/segment-chooser.js';
import type { SegmentLoader } from '../segments/fetch/segment-loader.js';
import type {
  DashPlayer,
  DashRepresentation,
  FragmentRequest,
  RulesContext,
  Stream,
  SwitchRequest,
} from './dash-types.js';
import type { InitializationLoader } from './initialization-loader.js';

const SWITCH_RULE = 'VoxelSwitchRule';
const ABANDON_RULE = 'VoxelAbandonRule';

export interface RuleAdapterOptions {
  readonly content: Content;
  readonly chooser: SegmentChooser;
  readonly recorder: Pick<DeliveryRecorder, 'isFirst'>;
  readonly segments: Pick<SegmentLoader, 'restartOf'>;
  readonly initializations: Pick<InitializationLoader, 'want'>;
  readonly retransmission: Pick<Retransmission, 'expectRequestIn'> | undefined;
}

/** Puts the rate control's answers where dash.js looks for them. The function returned takes the rules away. */
export function addRules(player: DashPlayer, options: RuleAdapterOptions): () => void {
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
        switchRequest(SWITCH_RULE, active ? chooseRepresentation(player, options, rules) : null),
    }),
  );
  player.addABRCustomRule(
    'abandonFragmentRules',
    ABANDON_RULE,
    rule(ABANDON_RULE, {
      shouldAbandon: (rules: RulesContext) => switchRequest(ABANDON_RULE, active ? findRestart(options, rules) : null),
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
  { content, chooser, recorder, initializations, retransmission }: RuleAdapterOptions,
  rules: RulesContext,
): DashRepresentation | null {
  if (rules.getMediaType() !== 'video') return null;
  const next = nextRequest(player, rules);
  const allowed = allowedRepresentations(rules);
  const { presentation, indexes } = content;
  const maps = allowed.map((representation) => presentation.representation(representation));
  // A ladder that has VOXEL data in part only cannot be compared by score.
  if (!next || !maps.every((map): map is RepresentationMap => map !== undefined)) return null;
  const first = recorder.isFirst ? chooser.begin(maps, next) : undefined;
  // The viewer waits for that one's index.
  if (first) indexes.want([first], next.index);
  indexes.want(maps, next.index);
  // The very first segment has the link to itself.
  if (!recorder.isFirst) initializations.want(allowed.filter((_, place) => maps[place]!.segment(next.index)));
  if (recorder.isFirst && maps.some((map) => indexes.isPending(map, next.index))) {
    return first ? allowed[maps.indexOf(first)]! : null;
  }
  const decision = chooser.choose(maps, next);
  if (!decision) return null;
  retransmission?.expectRequestIn(decision.delay);
  rules.getScheduleController().setTimeToLoadDelay(decision.delay * 1000);
  return allowed[maps.indexOf(decision.representation)]!;
}

function findRestart({ content, segments }: RuleAdapterOptions, rules: RulesContext): DashRepresentation | null {
  const restart = segments.restartOf(rules.getCurrentRequest());
  if (!restart) return null;
  const isChosen = (candidate: DashRepresentation): boolean =>
    content.presentation.representation(candidate) === restart.representation;
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
