import { DASH_METRICS, METRICS_MODEL, STREAM_CONTROLLER } from './metrics.js';
import { NO_CHANGE, PRIORITY } from './switch-request.js';

/** What is on a class of dash.js. */
interface DashClass {
  (this: { readonly context: object }, ...args: unknown[]): object;
  readonly __dashjs_factory_name?: string;
}

/** What `FactoryMaker.getClassFactory` gives: of a context, something that creates instances. */
type ClassFactory = (context?: object) => { readonly create: (...args: unknown[]) => object };

type SingletonFactory = (context?: object) => { readonly getInstance: () => object };

const createSwitchRequest: ClassFactory = () => ({
  create: (representation = NO_CHANGE, reason = null, priority = PRIORITY.DEFAULT, rule = null) => ({
    ...{ representation, reason, priority, rule },
  }),
});

const CLASSES: Readonly<Record<string, ClassFactory>> = {
  SwitchRequest: Object.assign(createSwitchRequest, { NO_CHANGE, PRIORITY }),
};

/** What is logged in thousands of sessions nobody reads. */
const silent = () => undefined;
const LOGGER = { debug: silent, info: silent, warn: silent, error: silent, fatal: silent };

const SINGLETONS: Readonly<Record<string, object>> = {
  DashMetrics: DASH_METRICS,
  MetricsModel: METRICS_MODEL,
  StreamController: STREAM_CONTROLLER,
  Debug: { getLogger: () => LOGGER },
};

const registered: ClassFactory[] = [];

/** The factories that files have been given so far, in order. */
export function registeredRules(): readonly unknown[] {
  return registered;
}

/** `dashjs.FactoryMaker`, as far as rules have use for it. */
const FactoryMaker = {
  getClassFactory(make: DashClass): ClassFactory {
    const factory: ClassFactory = (context = {}) => ({
      create: (...args) =>
        Object.assign(make.apply({ context }, args), { getClassName: () => make.__dashjs_factory_name }),
    });
    registered.push(factory);
    return factory;
  },
  getClassFactoryByName: (name: string): ClassFactory => CLASSES[name] ?? missing(name),
  getSingletonFactory: (make: DashClass): SingletonFactory => {
    let instance: object | undefined;
    return (context = {}) => ({ getInstance: () => (instance ??= make.call({ context })) });
  },
  getSingletonFactoryByName(name: string): SingletonFactory {
    const instance = SINGLETONS[name] ?? missing(name);
    return () => ({ getInstance: () => instance });
  },
};

function missing(name: string): never {
  throw new Error(`a simulation has no ${name} of dash.js`);
}

/** Does something that may look for dash.js where pages have it. */
export function withDashGlobal<Result>(work: () => Result): Result {
  const global = globalThis as { dashjs?: object };
  global.dashjs ??= { FactoryMaker };
  return work();
}
