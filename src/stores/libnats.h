/* libnats.h - the client library of NATS, loaded when the first store in NATS is opened: OpenSSL comes with it, which
 * would double the time to load of every process, and take 2 MB of it. */
#ifndef STORES_LIBNATS_H
#define STORES_LIBNATS_H

#include <nats/nats.h>

#include "stores/store.h"

/* All that is called. */
#define LIBNATS_CALLS(CALL) \
    CALL(jsConsumerConfig_Init) \
    CALL(jsConsumerInfo_Destroy) \
    CALL(jsCtx_Destroy) \
    CALL(jsMsgMetaData_Destroy) \
    CALL(jsOptions_Init) \
    CALL(jsPubOptions_Init) \
    CALL(jsStreamConfig_Init) \
    CALL(jsStreamInfo_Destroy) \
    CALL(jsSubOptions_Init) \
    CALL(js_AddConsumer) \
    CALL(js_AddStream) \
    CALL(js_CreateKeyValue) \
    CALL(js_GetConsumerInfo) \
    CALL(js_GetLastMsg) \
    CALL(js_GetStreamInfo) \
    CALL(js_KeyValue) \
    CALL(js_Publish) \
    CALL(js_PublishMsg) \
    CALL(js_PullSubscribe) \
    CALL(js_PurgeStream) \
    CALL(js_Subscribe) \
    CALL(js_SubscribeSync) \
    CALL(kvConfig_Init) \
    CALL(kvEntry_Destroy) \
    CALL(kvEntry_Revision) \
    CALL(kvEntry_Value) \
    CALL(kvEntry_ValueLen) \
    CALL(kvStore_CreateString) \
    CALL(kvStore_Delete) \
    CALL(kvStore_Destroy) \
    CALL(kvStore_Get) \
    CALL(kvStore_UpdateString) \
    CALL(natsConnection_Connect) \
    CALL(natsConnection_Destroy) \
    CALL(natsConnection_GetLastError) \
    CALL(natsConnection_GetMaxPayload) \
    CALL(natsConnection_IsClosed) \
    CALL(natsConnection_JetStream) \
    CALL(natsConnection_PublishString) \
    CALL(natsConnection_Status) \
    CALL(natsConnection_SubscribeSync) \
    CALL(natsMsgHeader_Get) \
    CALL(natsMsgHeader_Set) \
    CALL(natsMsgList_Destroy) \
    CALL(natsMsg_Ack) \
    CALL(natsMsg_Create) \
    CALL(natsMsg_Destroy) \
    CALL(natsMsg_GetData) \
    CALL(natsMsg_GetDataLength) \
    CALL(natsMsg_GetMetaData) \
    CALL(natsMsg_GetSequence) \
    CALL(natsMsg_GetSubject) \
    CALL(natsMsg_InProgress) \
    CALL(natsMsg_NakWithDelay) \
    CALL(natsOptions_Create) \
    CALL(natsOptions_Destroy) \
    CALL(natsOptions_LoadCATrustedCertificates) \
    CALL(natsOptions_SetClosedCB) \
    CALL(natsOptions_SetErrorHandler) \
    CALL(natsOptions_SetFailRequestsOnDisconnect) \
    CALL(natsOptions_SetMaxPingsOut) \
    CALL(natsOptions_SetMaxReconnect) \
    CALL(natsOptions_SetName) \
    CALL(natsOptions_SetPingInterval) \
    CALL(natsOptions_SetReconnectBufSize) \
    CALL(natsOptions_SetReconnectJitter) \
    CALL(natsOptions_SetReconnectWait) \
    CALL(natsOptions_SetReconnectedCB) \
    CALL(natsOptions_SetRetryOnFailedConnect) \
    CALL(natsOptions_SetSecure) \
    CALL(natsOptions_SetSendAsap) \
    CALL(natsOptions_SetServers) \
    CALL(natsOptions_SetTimeout) \
    CALL(natsOptions_SetUserCredentialsFromFiles) \
    CALL(natsOptions_SetWriteDeadline) \
    CALL(natsStatus_GetText) \
    CALL(natsSubscription_Destroy) \
    CALL(natsSubscription_Fetch) \
    CALL(natsSubscription_GetConsumerInfo) \
    CALL(natsSubscription_NextMsg) \
    CALL(natsSubscription_SetOnCompleteCB) \
    CALL(natsSubscription_SetPendingLimits) \
    CALL(natsSubscription_Unsubscribe) \
    CALL(nats_GetLastError)

#define LIBNATS_MEMBER(name) __typeof__(name) *(name);
struct libnats {
    LIBNATS_CALLS(LIBNATS_MEMBER)
};
#undef LIBNATS_MEMBER

/* Valid, and constant, once libnats_load() has returned true. */
extern struct libnats libnats;

/* Loads it, unless it is loaded. False: `error` holds a sentence without a full stop. Any thread. */
bool libnats_load(char error[static STORE_ERROR_MAX]);

#endif
