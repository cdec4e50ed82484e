export { mountTools } from "./mount-tools.ts";
export type { Mounted, MountOptions } from "./mount-tools.ts";
export { sdkOpen } from "./sdk-open.ts";
export type { CreateSdkServer } from "./sdk-open.ts";
export { serveSdk } from "./serve-sdk.ts";
export type { ServeSdkOptions } from "./serve-sdk.ts";
export type { SdkServer } from "./sdk-server.ts";
