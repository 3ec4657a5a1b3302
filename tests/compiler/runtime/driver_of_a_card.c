/* A driver without a card, for tests: memory is that of this machine, kernels are run by whoever registered.

   What is asynchronous is late: copies and launches wait in the queue of their stream until something waits for it, so
   that whatever is read too early, or written over too early, is seen. Every call is counted. */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;
typedef void (*runner)(const char *text, const char *name, unsigned blocks, unsigned threads, unsigned shared, void **params);

enum { MOST_PARAMS = 64, MOST_PIECES = 4096, INVALID = 1, OUT_OF_MEMORY = 2, NO_CARD = 100, NOT_FOUND = 500 };

typedef struct operation {
    int is_launch;
    void *to;
    const void *from;
    size_t size;
    struct function *function;
    unsigned blocks, threads, shared;
    unsigned char params[MOST_PARAMS][8];
    struct operation *next;
} operation;

typedef struct stream { operation *first, *last; } stream;
typedef struct module { char *text; address far; } module;
typedef struct function { module *module; char name[64]; int params; size_t sizes[MOST_PARAMS]; } function;
typedef struct { address begin; size_t size; int card; int pinned; } piece;

static stream legacy;
static piece pieces[MOST_PIECES];
static int held, cards = 1, current = -1, depth, stack[16];
static size_t room = (size_t)1 << 32, used;
static runner run;
static struct { char name[64]; int count; } counts[64];
static char trouble[200];

static void count(const char *name)
{
    for (int k = 0; k < 64; k++) {
        if (!counts[k].name[0])
            snprintf(counts[k].name, sizeof counts[k].name, "%s", name);
        if (!strcmp(counts[k].name, name)) {
            counts[k].count++;
            return;
        }
    }
}
#define CALLED count(__func__)
#define IN_CONTEXT do { CALLED; if (current < 0) return 201; } while (0)

/* -- what tests ask -------------------------------------------------------------------------------- */

int standin_count(const char *name)
{
    for (int k = 0; k < 64; k++)
        if (!strcmp(counts[k].name, name))
            return counts[k].count;
    return 0;
}

void standin_reset(int number, size_t memory, runner given)
{
    memset(counts, 0, sizeof counts);
    trouble[0] = 0;
    cards = number;
    room = memory;
    run = given;
}

const char *standin_trouble(void) { return trouble; }
int standin_pieces(void)
{
    int found = 0;
    for (int k = 0; k < held; k++)
        found += pieces[k].size != 0;
    return found;
}

/* -- memory ------------------------------------------------------------------------------------------- */

static void finish(stream *s);

static piece *piece_of(address place)
{
    for (int k = 0; k < held; k++)
        if (place >= pieces[k].begin && place < pieces[k].begin + pieces[k].size)
            return &pieces[k];
    return NULL;
}

static void hold(void *place, size_t size, int pinned)
{
    piece made = {(address)place, size, current, pinned};
    for (int k = 0; k < held; k++)
        if (!pieces[k].size) {
            pieces[k] = made;
            return;
        }
    if (held < MOST_PIECES)
        pieces[held++] = made;
}

int cuMemAlloc_v2(address *place, size_t size)
{
    IN_CONTEXT;
    if (used + size > room)
        return OUT_OF_MEMORY;
    void *made = aligned_alloc(256, (size + 255) / 256 * 256);
    memset(made, 0xA5, size);
    hold(made, size, 0);
    used += size;
    *place = (address)made;
    return 0;
}

int cuMemFree_v2(address place)
{
    IN_CONTEXT;
    finish(&legacy); /* as a driver does: what is under way may need it */
    piece *found = piece_of(place);
    if (!found || found->pinned)
        return INVALID;
    used -= found->size;
    found->size = 0;
    free((void *)place);
    return 0;
}

int cuMemHostAlloc(void **place, size_t size, unsigned flags)
{
    IN_CONTEXT;
    (void)flags;
    *place = aligned_alloc(256, (size + 255) / 256 * 256);
    hold(*place, size, 1);
    return 0;
}

int cuMemFreeHost(void *place)
{
    IN_CONTEXT;
    piece *found = piece_of((address)place);
    if (!found || !found->pinned)
        return INVALID;
    found->size = 0;
    free(place);
    return 0;
}

int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    IN_CONTEXT;
    *left = room - used;
    *all = room;
    return 0;
}

int cuPointerGetAttribute(void *found, int what, address place)
{
    CALLED;
    piece *own = piece_of(place);
    if (!own)
        return INVALID;
    *(int *)found = what == 2 ? (own->pinned ? 1 : 2) : own->card;
    return 0;
}

/* -- streams --------------------------------------------------------------------------------------------- */

static void done(operation *o)
{
    if (!o->is_launch) {
        memcpy(o->to, o->from, o->size);
        return;
    }
    void *params[MOST_PARAMS];
    for (int k = 0; k < MOST_PARAMS; k++)
        params[k] = o->params[k];
    if (run)
        run(o->function->module->text, o->function->name, o->blocks, o->threads, o->shared, params);
}

static void finish(stream *s)
{
    while (s->first) {
        operation *o = s->first;
        s->first = o->next;
        done(o);
        free(o);
    }
    s->last = NULL;
}

/* 0, 1 and 2 are names of streams that are always there */
static stream *named(stream *s) { return (size_t)s > 2 ? s : &legacy; }

static operation *queued(stream *s)
{
    operation *o = calloc(1, sizeof *o);
    s = named(s);
    if (s->last)
        s->last->next = o;
    else
        s->first = o;
    s->last = o;
    return o;
}

int cuStreamCreate(stream **made, unsigned flags)
{
    IN_CONTEXT;
    (void)flags;
    *made = calloc(1, sizeof **made);
    return 0;
}

int cuStreamSynchronize(stream *s)
{
    IN_CONTEXT;
    finish(named(s));
    return 0;
}

int cuStreamDestroy_v2(stream *s) { IN_CONTEXT; finish(s); free(s); return 0; }
int cuCtxSynchronize(void) { IN_CONTEXT; finish(&legacy); return 0; }

static int copied(void *to, const void *from, size_t size, const void *here, stream *s)
{
    piece *own = piece_of((address)here);
    if (!own || !own->pinned)
        snprintf(trouble, sizeof trouble, "a copy in a stream touches memory that is not pinned");
    operation *o = queued(s);
    o->to = to;
    o->from = from;
    o->size = size;
    return 0;
}

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t size, stream *s)
{
    IN_CONTEXT;
    return copied((void *)to, from, size, from, s);
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t size, stream *s)
{
    IN_CONTEXT;
    return copied(to, (void *)from, size, to, s);
}

int cuMemcpyHtoD_v2(address to, const void *from, size_t size)
{
    IN_CONTEXT;
    finish(&legacy);
    memcpy((void *)to, from, size);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, address from, size_t size)
{
    IN_CONTEXT;
    finish(&legacy);
    memcpy(to, (void *)from, size);
    return 0;
}

typedef struct { double at; } event;

int cuEventCreate(event **made, unsigned flags) { IN_CONTEXT; (void)flags; *made = calloc(1, sizeof **made); return 0; }
int cuEventDestroy_v2(event *e) { IN_CONTEXT; free(e); return 0; }

static double clock_of_tests; /* goes on when whoever runs a kernel says so */

int cuEventRecord(event *e, stream *s) { IN_CONTEXT; finish(named(s)); e->at = clock_of_tests; return 0; }
int cuEventSynchronize(event *e) { IN_CONTEXT; (void)e; return 0; }
int cuEventElapsedTime(float *found, event *a, event *b) { IN_CONTEXT; *found = (float)(b->at - a->at); return 0; }
void standin_pass(double milliseconds) { clock_of_tests += milliseconds; }

int cuMemcpyDtoDAsync_v2(address to, address from, size_t size, stream *s)
{
    IN_CONTEXT;
    finish(named(s));
    memcpy((void *)to, (void *)from, size);
    clock_of_tests += 1.0;
    return 0;
}

/* -- cards and contexts ---------------------------------------------------------------------------------- */

int cuInit(unsigned flags) { CALLED; (void)flags; return 0; }
int cuDriverGetVersion(int *found) { CALLED; *found = 13000; return 0; }
int cuDeviceGetCount(int *found) { CALLED; *found = cards; return 0; }
int cuDeviceGet(int *found, int number) { CALLED; *found = number; return 0; }
int cuDeviceGetName(char *name, int size, int card) { CALLED; snprintf(name, size, "Stand-in %d", card); return 0; }

int cuDeviceGetAttribute(int *found, int what, int card)
{
    CALLED;
    (void)card;
    *found = what == 75 ? 9 : what == 76 ? 0 : what == 16 ? 132 : what == 82 ? 65536 : what == 39 ? 2048 : 0;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int card) { CALLED; *context = (void *)(size_t)(card + 1); return 0; }

int cuCtxPushCurrent_v2(void *context)
{
    CALLED;
    stack[depth++] = current;
    current = (int)(size_t)context - 1;
    return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
    CALLED;
    *context = (void *)(size_t)(current + 1);
    current = stack[--depth];
    return 0;
}

int cuGetErrorString(int status, const char **words)
{
    CALLED;
    *words = status == OUT_OF_MEMORY ? "out of memory" : status == NO_CARD ? "no CUDA-capable device" : "invalid value";
    return 0;
}

/* -- code ------------------------------------------------------------------------------------------------- */

int cuModuleLoadDataEx(module **made, const char *text, unsigned n, void *options, void *values)
{
    IN_CONTEXT;
    (void)n, (void)options, (void)values;
    if (!strstr(text, ".entry"))
        return INVALID;
    *made = calloc(1, sizeof **made);
    (*made)->text = strdup(text);
    return 0;
}

int cuModuleGetFunction(function **made, module *from, const char *name)
{
    IN_CONTEXT;
    char head[96];
    snprintf(head, sizeof head, ".entry %s(", name);
    const char *begin = strstr(from->text, head);
    if (!begin)
        return NOT_FOUND;
    *made = calloc(1, sizeof **made);
    (*made)->module = from;
    snprintf((*made)->name, sizeof (*made)->name, "%s", name);
    const char *end = strchr(begin + strlen(head), ')');
    for (const char *at = begin; (at = strstr(at, ".param .")) && at < end; at++)
        (*made)->sizes[(*made)->params++] = strncmp(at + 9, "32", 2) ? 8 : 4;
    return 0;
}

int cuModuleGetGlobal_v2(address *place, size_t *size, module *of, const char *name)
{
    IN_CONTEXT;
    (void)name;
    *place = (address)&of->far;
    *size = 8;
    return 0;
}

int cuFuncGetAttribute(int *found, int what, function *of) { IN_CONTEXT; (void)of; *found = what == 4 ? 96 : 0; return 0; }
int cuFuncSetAttribute(function *of, int what, int value) { IN_CONTEXT; (void)of, (void)what, (void)value; return 0; }

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *found, function *of, int threads, size_t shared)
{
    IN_CONTEXT;
    (void)of, (void)shared;
    *found = 640 / threads;
    return 0;
}

int cuLaunchKernel(
    function *of, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned b, unsigned c, unsigned shared,
    stream *s, void **params, void **extra)
{
    IN_CONTEXT;
    if (!x || y != 1 || z != 1 || !threads || threads > 1024 || b != 1 || c != 1 || extra || shared > 49152)
        return INVALID;
    operation *o = queued(s);
    o->is_launch = 1;
    o->function = of;
    o->blocks = x;
    o->threads = threads;
    o->shared = shared;
    for (int k = 0; k < of->params; k++)
        memcpy(o->params[k], params[k], of->sizes[k]);
    return 0;
}
