/* A libnvidia-ml for machines without a GPU: the functions that the agent calls, with the structures of
 * NVIDIA's nvml.h written down once more, so that both sides would have to be wrong alike.
 *
 * GPU 0 is a Hopper with profiling counters: each reading of them lies one second behind the one before,
 * and counter m says m percent (or MiB/s) times those seconds. GPU 1 has no such counters, and tells
 * neither its memory's temperature nor its violations. */
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3 };

typedef int nvmlReturn_t;
typedef struct { int index; } *nvmlDevice_t;
typedef struct { unsigned second; } *nvmlGpmSample_t;

typedef struct { unsigned int gpu, memory; } nvmlUtilization_t;
typedef struct { unsigned long long referenceTime, violationTime; } nvmlViolationTime_t;
typedef struct {
  unsigned int version;
  unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
typedef struct {
  char busIdLegacy[16];
  unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;
typedef union {
  double dVal;
  unsigned int uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
} nvmlValue_t;
typedef struct {
  unsigned int fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  nvmlValue_t value;
} nvmlFieldValue_t;
typedef struct { unsigned int version, isSupportedDevice; } nvmlGpmSupport_t;
typedef struct {
  unsigned int metricId;
  nvmlReturn_t nvmlReturn;
  double value;
  struct { char *shortName, *longName, *unit; } metricInfo;
} nvmlGpmMetric_t;
typedef struct {
  unsigned int version, numMetrics;
  nvmlGpmSample_t sample1, sample2;
  nvmlGpmMetric_t metrics[98];
} nvmlGpmMetricsGet_t;

static struct { int index; } gpus[2] = {{0}, {1}};
static unsigned seconds = 0;
static unsigned long long energy_mj = 1000000;

#define TELL(NAME, TYPE, VALUE) \
  nvmlReturn_t NAME(nvmlDevice_t gpu, TYPE *out) { (void)gpu; *out = (VALUE); return SUCCESS; }

nvmlReturn_t nvmlInit_v2(void) { return SUCCESS; }
nvmlReturn_t nvmlShutdown(void) { return SUCCESS; }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) { *count = 2; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *gpu) {
  if (index > 1) return INVALID_ARGUMENT;
  *gpu = (nvmlDevice_t)&gpus[index];
  return SUCCESS;
}

static nvmlReturn_t Text(const char *text, char *out, unsigned int length) {
  if (strlen(text) >= length) return INVALID_ARGUMENT;
  strcpy(out, text);
  return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t gpu, char *out, unsigned int length) {
  return Text(gpu->index == 0 ? "NVIDIA H200" : "NVIDIA A100-SXM4-80GB", out, length);
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t gpu, char *out, unsigned int length) {
  return Text(gpu->index == 0 ? "GPU-00000000" : "GPU-11111111", out, length);
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t gpu, nvmlPciInfo_t *out) {
  memset(out, 0, sizeof *out);
  strcpy(out->busIdLegacy, "0000:18:00.0");
  strcpy(out->busId, gpu->index == 0 ? "00000000:18:00.0" : "00000000:2A:00.0");
  return SUCCESS;
}

TELL(nvmlDeviceGetPowerUsage, unsigned int, 683250 + (unsigned)gpu->index)
TELL(nvmlDeviceGetEnforcedPowerLimit, unsigned int, 700000)
TELL(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, energy_mj += 683250)
TELL(nvmlDeviceGetPerformanceState, unsigned int, 0)
TELL(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, 4)
TELL(nvmlDeviceGetPcieReplayCounter, unsigned int, 7)
TELL(nvmlDeviceGetUtilizationRates, nvmlUtilization_t, ((nvmlUtilization_t){97, 31}))

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t gpu, unsigned int clock, unsigned int *out) {
  (void)gpu;
  *out = clock == 1 ? 1755 : clock == 2 ? 3201 : 0;
  return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t gpu, unsigned int sensor, unsigned int *out) {
  *out = 55 + (unsigned)gpu->index;
  return sensor == 0 ? SUCCESS : INVALID_ARGUMENT;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t gpu, nvmlMemory_v2_t *out) {
  (void)gpu;
  if (out->version != (sizeof *out | 2u << 24)) return INVALID_ARGUMENT;
  out->total = 1000ull << 20;
  out->reserved = 10ull << 20;
  out->free = 690ull << 20;
  out->used = 300ull << 20;
  return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t gpu, int type, int counter,
                                         unsigned long long *out) {
  (void)gpu;
  *out = type == 0 ? 3 : 1;
  return counter == 0 ? SUCCESS : INVALID_ARGUMENT;
}
nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t gpu, int policy, nvmlViolationTime_t *out) {
  out->referenceTime = 1;
  out->violationTime = policy == 0 ? 5000 : 6000;
  return gpu->index == 0 ? SUCCESS : NOT_SUPPORTED;
}
nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t gpu, unsigned int *corrected, unsigned int *uncorrected,
                                       unsigned int *pending, unsigned int *failed) {
  (void)gpu;
  *corrected = 2;
  *uncorrected = 1;
  *pending = 0;
  *failed = 0;
  return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t gpu, int count, nvmlFieldValue_t *values) {
  for (int i = 0; i < count; i++) {
    values[i].nvmlReturn = values[i].fieldId == 82 && gpu->index == 0 ? SUCCESS : NOT_SUPPORTED;
    values[i].value.ullVal = 0;
    values[i].value.uiVal = 71;
  }
  return SUCCESS;
}

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t gpu, nvmlGpmSupport_t *out) {
  if (out->version != 1) return INVALID_ARGUMENT;
  out->isSupportedDevice = gpu->index == 0;
  return SUCCESS;
}
nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *out) {
  *out = calloc(1, sizeof **out);
  return SUCCESS;
}
nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t gpu, nvmlGpmSample_t sample) {
  sample->second = ++seconds;
  return gpu->index == 0 ? SUCCESS : NOT_SUPPORTED;
}
nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *request) {
  if (request->version != 1 || request->sample1->second >= request->sample2->second) {
    return INVALID_ARGUMENT;
  }
  for (unsigned i = 0; i < request->numMetrics; i++) {
    nvmlGpmMetric_t *metric = &request->metrics[i];
    metric->nvmlReturn = metric->metricId == 13 ? NOT_SUPPORTED : SUCCESS;
    metric->value = (double)metric->metricId * (request->sample2->second - request->sample1->second);
  }
  return SUCCESS;
}
