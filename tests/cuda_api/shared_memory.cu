// Memory of cuMemCreate in two processes: one exports a file descriptor, the other makes memory of it.
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

static void send_file(int socket, int file) {
  char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  sendmsg(socket, &message, 0);
}
static int receive_file(int socket) {
  char byte, control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  int file = -1;
  if (recvmsg(socket, &message, 0) == 1) std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}

static CUdeviceptr map(CUmemGenericAllocationHandle handle, size_t bytes) {
  CUdeviceptr at = 0;
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  cuMemAddressReserve(&at, bytes, 0, 0, 0);
  cuMemMap(at, bytes, 0, handle, 0);
  cuMemSetAccess(at, bytes, &access, 1);
  return at;
}
static void begin() {
  CUcontext context;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
}

int main() {
  const size_t bytes = 4 << 20;
  int sockets[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  const pid_t child = fork();  // before CUDA is used
  begin();
  CUmemGenericAllocationHandle handle = 0;
  if (child == 0) {
    const int file = receive_file(sockets[1]);
    if (cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(intptr_t(file)),
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
      _exit(1);
    close(file);  // the memory stays
    const CUdeviceptr at = map(handle, bytes);
    unsigned got = 0;
    cuMemcpyDtoH(&got, at + 8, 4);
    cuMemsetD32(at + bytes - 4, got + 1, 1);
    _exit(got == 41 ? 0 : 2);
  }
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  int file = -1;
  cuMemCreate(&handle, bytes, &prop, 0);  // not made to be shared
  std::printf("%d ",
              cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  cuMemRelease(handle);
  prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  std::printf("%d ", cuMemCreate(&handle, bytes, &prop, 0));
  const CUdeviceptr at = map(handle, bytes);
  cuMemsetD32(at + 8, 41, 1);
  std::printf("%d ",
              cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  send_file(sockets[0], file);
  int status = 0;
  waitpid(child, &status, 0);
  unsigned got = 0;
  cuMemcpyDtoH(&got, at + bytes - 4, 4);
  std::printf("%d: %u\n", WEXITSTATUS(status), got);
  // What is no memory of cuMemCreate is none.
  std::printf("%d\n", cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(intptr_t(0)),
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}
// expect: 1 0 0 0: 42
// expect: 1
